"""Complaints: what is kept of them, what can be erased, and triggers that hold their order and who decides."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

import registry_site.append_only
import registry_site.role_names
from registry_site import append_only

FORWARD = """
CREATE FUNCTION certificates_report_follows_last_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last_event certificates_reportevent%ROWTYPE;
    complaint certificates_report%ROWTYPE;
BEGIN
    SELECT * INTO complaint FROM certificates_report WHERE id = NEW.report_id;
    SELECT * INTO last_event FROM certificates_reportevent
        WHERE report_id = NEW.report_id ORDER BY sequence DESC LIMIT 1;
    IF NEW.sequence <> coalesce(last_event.sequence, 0) + 1 OR NEW.at < last_event.at THEN
        RAISE EXCEPTION 'steps of a complaint follow one another'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'a_step_of_a_complaint_follows_the_last_one';
    END IF;
    IF (coalesce(last_event.step, 'none'), NEW.step) NOT IN (
        ('none', 'confirm'), ('confirm', 'take_up'), ('confirm', 'decline'), ('take_up', 'decline'),
        ('take_up', 'ask_holder'), ('take_up', 'decide'), ('ask_holder', 'reply'), ('ask_holder', 'decide'),
        ('reply', 'decide'), ('decide', 'ask_review'), ('ask_review', 'decide'), ('decide', 'close'),
        ('decline', 'close')
    ) OR NEW.step = 'ask_holder' AND complaint.kind = 'misuse_by_others'
      OR NEW.step = 'decide' AND last_event.step = 'take_up' AND complaint.kind <> 'misuse_by_others'
      OR NEW.step = 'ask_review' AND (
        last_event.outcome <> 'dismissed' OR NEW.at >= last_event.until OR EXISTS (
            SELECT FROM certificates_reportevent WHERE report_id = NEW.report_id AND step = 'ask_review'))
      OR NEW.step = 'decide' AND last_event.step = 'ask_holder' AND NEW.at < last_event.until
      OR NEW.step = 'reply' AND NEW.at >= last_event.until
      OR NEW.step = 'close' AND last_event.step = 'decide' AND NEW.at < last_event.until
    THEN
        RAISE EXCEPTION 'a complaint does not go from % to %', last_event.step, NEW.step
            USING ERRCODE = 'check_violation', CONSTRAINT = 'a_complaint_takes_the_steps_of_its_table';
    END IF;
    IF NEW.step = 'decide' AND EXISTS (
        SELECT FROM certificates_reportevent
        WHERE report_id = NEW.report_id AND step = 'decide' AND by_id = NEW.by_id) THEN
        RAISE EXCEPTION 'a complaint is reviewed by someone else'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'a_complaint_is_reviewed_by_someone_else';
    END IF;
    IF NEW.by_id IS NOT NULL AND complaint.kind <> 'misuse_by_others' AND EXISTS (
        SELECT FROM certificates_notice n
        WHERE n.certificate_id = complaint.certificate_id AND n.decided_by_id = NEW.by_id
            AND n.role = 'certifier' AND n.decision <> 'report') THEN
        RAISE EXCEPTION 'nobody works on a complaint about the own decision'
            USING ERRCODE = 'check_violation',
                CONSTRAINT = 'nobody_works_on_a_complaint_about_the_own_decision';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER report_follows_last_event BEFORE INSERT ON certificates_reportevent
    FOR EACH ROW EXECUTE FUNCTION certificates_report_follows_last_event();

CREATE FUNCTION certificates_standing_follows_report() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE last_event certificates_reportevent%ROWTYPE;
BEGIN
    SELECT * INTO last_event FROM certificates_reportevent
        WHERE report_id = NEW.report_id ORDER BY sequence DESC LIMIT 1;
    IF last_event.sequence IS DISTINCT FROM NEW.sequence::int OR NEW.state IS DISTINCT FROM (
        CASE last_event.step WHEN 'confirm' THEN 'received' WHEN 'take_up' THEN 'in_remit'
            WHEN 'ask_review' THEN 'in_remit' WHEN 'decline' THEN 'out_of_remit'
            WHEN 'ask_holder' THEN 'with_holder' WHEN 'reply' THEN 'with_holder'
            WHEN 'decide' THEN 'decided' ELSE 'closed' END)
    THEN
        RAISE EXCEPTION 'a complaint stands where its last step led'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'a_complaint_stands_where_its_last_step_led';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER standing_follows_report BEFORE INSERT OR UPDATE ON certificates_reportstanding
    FOR EACH ROW EXECUTE FUNCTION certificates_standing_follows_report();

CREATE FUNCTION certificates_erased_stays_erased() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.erased_at IS NOT NULL THEN
        RAISE EXCEPTION 'what was erased stays erased'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'what_was_erased_stays_erased';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER erased_stays_erased BEFORE UPDATE ON certificates_reportcontent
    FOR EACH ROW EXECUTE FUNCTION certificates_erased_stays_erased();
"""

BACKWARD = """
DROP TRIGGER erased_stays_erased ON certificates_reportcontent;
DROP FUNCTION certificates_erased_stays_erased;
DROP TRIGGER standing_follows_report ON certificates_reportstanding;
DROP FUNCTION certificates_standing_follows_report;
DROP TRIGGER report_follows_last_event ON certificates_reportevent;
DROP FUNCTION certificates_report_follows_last_event;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("certificates", "0007_applications"),
        ("grading", "0005_calibration"),
        ("registry_site", "0005_mail"),
    ]

    operations = [
        migrations.CreateModel(
            name="Report",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "created_in",
                    models.BigIntegerField(
                        db_default=registry_site.append_only.CurrentTransaction(), editable=False
                    ),
                ),
                ("number", models.CharField(max_length=20, unique=True, verbose_name="number")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("figures", "a figure or a fact on the page is wrong"),
                            ("evidence", "the evidence is not what it should be"),
                            ("system_changed", "the system offered is not the version evaluated"),
                            ("misuse_by_holder", "the holder uses the certificate improperly"),
                            ("misuse_by_others", "someone else uses the certificate or its mark"),
                            ("other", "something else about the certificate"),
                        ],
                        max_length=20,
                        verbose_name="about",
                    ),
                ),
                ("received_at", models.DateTimeField()),
                ("crowded", models.BooleanField(default=False)),
                ("content", models.CharField(max_length=64)),
            ],
            options={
                "verbose_name": "complaint",
                "verbose_name_plural": "complaints",
            },
        ),
        migrations.CreateModel(
            name="ReportAttachment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("kind", models.CharField(max_length=10)),
                ("size", models.PositiveIntegerField()),
                ("sha256", models.CharField(max_length=64)),
            ],
            options={
                "ordering": ["report", "position"],
            },
        ),
        migrations.CreateModel(
            name="ReportDraft",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("figures", "a figure or a fact on the page is wrong"),
                            ("evidence", "the evidence is not what it should be"),
                            ("system_changed", "the system offered is not the version evaluated"),
                            ("misuse_by_holder", "the holder uses the certificate improperly"),
                            ("misuse_by_others", "someone else uses the certificate or its mark"),
                            ("other", "something else about the certificate"),
                        ],
                        max_length=20,
                    ),
                ),
                ("place", models.CharField(blank=True, max_length=500)),
                ("text", models.TextField()),
                ("name", models.CharField(blank=True, max_length=200)),
                ("email", models.EmailField(max_length=254)),
                ("language", models.CharField(default="es", max_length=2)),
                ("attachments", models.JSONField(default=list)),
                ("sent_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name="ReportEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sequence", models.PositiveSmallIntegerField()),
                (
                    "step",
                    models.CharField(
                        choices=[
                            ("confirm", "received"),
                            ("take_up", "taken up"),
                            ("decline", "declared outside our remit"),
                            ("ask_holder", "put to the holder"),
                            ("reply", "replied to by the holder"),
                            ("decide", "decided"),
                            ("ask_review", "review asked for"),
                            ("close", "closed"),
                        ],
                        max_length=20,
                    ),
                ),
                ("at", models.DateTimeField()),
                ("until", models.DateTimeField(null=True)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            (registry_site.role_names.Role["EVALUATOR"], "evaluation"),
                            (registry_site.role_names.Role["CERTIFIER"], "certification decision"),
                            (registry_site.role_names.Role["APPEALS_OFFICER"], "appeals"),
                            (registry_site.role_names.Role["REGISTRAR"], "registry"),
                        ],
                        max_length=20,
                        null=True,
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            (
                                "not_about_a_certificate",
                                "it is not about a certificate of this registry or its mark",
                            ),
                            ("another_body", "it belongs before another body"),
                            ("already_decided", "the same was decided before"),
                            ("without_facts", "it names no fact that could be looked into"),
                            ("other", "there is another reason"),
                        ],
                        max_length=24,
                        null=True,
                    ),
                ),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("upheld", "upheld"),
                            ("partly_upheld", "partly upheld"),
                            ("dismissed", "dismissed"),
                        ],
                        max_length=13,
                        null=True,
                    ),
                ),
                ("summary_es", models.TextField(blank=True, default="")),
                ("summary_en", models.TextField(blank=True, default="")),
                ("proposal", models.TextField(blank=True, default="")),
                ("reasons_es", models.TextField(blank=True, default="")),
                ("reasons_en", models.TextField(blank=True, default="")),
            ],
            options={
                "ordering": ["report", "sequence"],
            },
        ),
        migrations.CreateModel(
            name="ReportLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(null=True)),
                (
                    "purpose",
                    models.CharField(
                        choices=[
                            ("confirm", "to confirm a complaint"),
                            ("follow", "to follow a complaint, and to ask for a review"),
                            ("reply", "to reply to a complaint"),
                        ],
                        max_length=7,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReportReply",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text_es", models.TextField(blank=True, default="")),
                ("text_en", models.TextField(blank=True, default="")),
            ],
        ),
        migrations.RemoveConstraint(
            model_name="notice",
            name="a_refusal_is_about_a_measurement_and_all_else_about_a_certificate",
        ),
        migrations.AlterField(
            model_name="notice",
            name="decision",
            field=models.CharField(
                choices=[
                    ("issue", "issue"),
                    ("refuse", "refusal"),
                    ("suspend", "suspension"),
                    ("prolong", "extension"),
                    ("reinstate", "reinstatement"),
                    ("revoke", "revocation"),
                    ("terminate", "ending"),
                    ("supersede", "supersession"),
                    ("vary", "variation"),
                    ("overturn", "overturning"),
                    ("erratum", "erratum"),
                    ("appeal", "outcome of an appeal"),
                    ("report", "outcome of a complaint"),
                ],
                max_length=12,
                verbose_name="decision",
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("certificate__isnull", True),
                        ("decision", "refuse"),
                        ("measurement__isnull", False),
                        ("public_event__isnull", False),
                    ),
                    models.Q(
                        ("about__isnull", False),
                        ("certificate__isnull", True),
                        ("decision__in", ["overturn", "appeal"]),
                        ("measurement__isnull", False),
                        ("public_event__isnull", False),
                    ),
                    models.Q(
                        ("certificate__isnull", True),
                        ("decision", "report"),
                        ("measurement__isnull", True),
                        ("public_event__isnull", False),
                    ),
                    models.Q(models.Q(("decision", "refuse"), _negated=True), ("certificate__isnull", False)),
                    _connector="OR",
                ),
                name="a_refusal_is_about_a_measurement_and_all_else_about_a_certificate",
            ),
        ),
        migrations.AddField(
            model_name="report",
            name="certificate",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="reports",
                to="certificates.certificate",
            ),
        ),
        migrations.AddField(
            model_name="reportattachment",
            name="report",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="attachments",
                to="certificates.report",
            ),
        ),
        migrations.AddField(
            model_name="reportdraft",
            name="certificate",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="certificates.certificate",
            ),
        ),
        migrations.AddField(
            model_name="reportevent",
            name="by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="registry_site.person",
            ),
        ),
        migrations.AddField(
            model_name="reportevent",
            name="notice",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="report_event",
                to="certificates.notice",
            ),
        ),
        migrations.AddField(
            model_name="reportevent",
            name="public_event",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="report_event",
                to="registry_site.publicevent",
            ),
        ),
        migrations.AddField(
            model_name="reportevent",
            name="report",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="events", to="certificates.report"
            ),
        ),
        migrations.AddField(
            model_name="reportlink",
            name="draft",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="links",
                to="certificates.reportdraft",
            ),
        ),
        migrations.AddField(
            model_name="reportlink",
            name="report",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="links",
                to="certificates.report",
            ),
        ),
        migrations.AddField(
            model_name="reportreply",
            name="event",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="reply",
                to="certificates.reportevent",
            ),
        ),
        migrations.AddField(
            model_name="reportreply",
            name="report",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT, related_name="reply", to="certificates.report"
            ),
        ),
        migrations.CreateModel(
            name="ReportContent",
            fields=[
                (
                    "report",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="contents",
                        serialize=False,
                        to="certificates.report",
                    ),
                ),
                ("place", models.CharField(blank=True, max_length=500)),
                ("text", models.TextField(blank=True)),
                ("review_text", models.TextField(blank=True)),
                ("reply_text", models.TextField(blank=True)),
                ("name", models.CharField(blank=True, max_length=200)),
                ("email", models.EmailField(blank=True, max_length=254)),
                ("language", models.CharField(default="es", max_length=2)),
                (
                    "file_names",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=200), blank=True, default=list, size=None
                    ),
                ),
                ("salt", models.BinaryField()),
                ("erased_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("erased_at__isnull", True),
                            models.Q(
                                ("email", ""),
                                ("file_names", []),
                                ("name", ""),
                                ("place", ""),
                                ("reply_text", ""),
                                ("review_text", ""),
                                ("salt", b""),
                                ("text", ""),
                            ),
                            _connector="OR",
                        ),
                        name="an_erased_complaint_holds_nothing",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ReportStanding",
            fields=[
                (
                    "report",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="standing",
                        serialize=False,
                        to="certificates.report",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("unconfirmed", "to be confirmed"),
                            ("received", "received"),
                            ("in_remit", "under review"),
                            ("out_of_remit", "outside our remit"),
                            ("with_holder", "awaiting the holder's reply"),
                            ("decided", "decided"),
                            ("closed", "closed"),
                        ],
                        max_length=12,
                    ),
                ),
                ("sequence", models.PositiveSmallIntegerField()),
                ("deadline_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "closed"), _negated=True),
                        fields=["deadline_at"],
                        name="report_open_by_deadline",
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("deadline_at__isnull", True), ("state", "closed")),
                            models.Q(
                                models.Q(("state", "closed"), _negated=True), ("deadline_at__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="a_complaint_not_closed_has_a_deadline",
                    )
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.CheckConstraint(
                condition=models.Q(("number__regex", "^QJ-[12][0-9]{3}-([0-9]{6}|[1-9][0-9]{6,8})$")),
                name="a_complaint_number_has_its_form",
            ),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("certificate__isnull", False), ("kind", "misuse_by_others"), _connector="OR"
                ),
                name="a_complaint_is_about_a_certificate_or_about_what_others_do",
            ),
        ),
        migrations.AddConstraint(
            model_name="reportattachment",
            constraint=models.UniqueConstraint(
                fields=("report", "position"), name="a_file_of_a_complaint_has_its_own_place"
            ),
        ),
        migrations.AddConstraint(
            model_name="reportattachment",
            constraint=models.CheckConstraint(
                condition=models.Q(("sha256__regex", "^[0-9a-f]{64}$")),
                name="a_file_of_a_complaint_is_named_by_its_digest",
            ),
        ),
        migrations.AddConstraint(
            model_name="reportevent",
            constraint=models.UniqueConstraint(
                fields=("report", "sequence"), name="a_complaint_takes_one_step_at_a_time"
            ),
        ),
        migrations.AddConstraint(
            model_name="reportevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("by__isnull", False),
                        ("role__isnull", False),
                        ("step__in", ["ask_holder", "decide", "decline", "take_up"]),
                    ),
                    models.Q(
                        models.Q(("step__in", ["ask_holder", "decide", "decline", "take_up"]), _negated=True),
                        ("by__isnull", True),
                        ("role__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="staff_work_on_a_complaint_and_others_send_and_answer_it",
            ),
        ),
        migrations.AddConstraint(
            model_name="reportevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("step", "ask_holder"), _negated=True),
                    models.Q(
                        models.Q(("summary_es", ""), _negated=True),
                        models.Q(("summary_en", ""), _negated=True),
                        ("until__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="the_holder_is_told_what_a_complaint_is_about_and_until_when_to_reply",
            ),
        ),
        migrations.AddConstraint(
            model_name="reportevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("reason__isnull", False),
                        ("step", "decline"),
                        models.Q(("reasons_es", ""), _negated=True),
                        models.Q(("reasons_en", ""), _negated=True),
                    ),
                    models.Q(models.Q(("step", "decline"), _negated=True), ("reason__isnull", True)),
                    _connector="OR",
                ),
                name="a_complaint_outside_our_remit_says_why",
            ),
        ),
        migrations.AddConstraint(
            model_name="reportevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("notice__isnull", False),
                        ("outcome__isnull", False),
                        ("step", "decide"),
                        ("until__isnull", False),
                        models.Q(("reasons_es", ""), _negated=True),
                        models.Q(("reasons_en", ""), _negated=True),
                    ),
                    models.Q(
                        models.Q(("step", "decide"), _negated=True),
                        ("notice__isnull", True),
                        ("outcome__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="a_decided_complaint_has_its_outcome_in_a_notice",
            ),
        ),
        migrations.AddConstraint(
            model_name="reportlink",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("purpose", "confirm"),
                    models.Q(
                        ("draft__isnull", True),
                        ("purpose__in", ["follow", "reply"]),
                        ("report__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="a_link_of_a_complaint_has_one_purpose_on_one_object",
            ),
        ),
        migrations.AddConstraint(
            model_name="reportreply",
            constraint=models.CheckConstraint(
                condition=models.Q(("text_en", ""), ("text_es", ""), _negated=True),
                name="a_published_reply_has_its_text",
            ),
        ),
        append_only.refuse_changes("certificates_report"),
        append_only.guard_clock("certificates_report", column="received_at"),
        append_only.refuse_changes("certificates_reportattachment"),
        append_only.freeze_children(
            "certificates_reportattachment", parent="certificates_report", key="report_id"
        ),
        append_only.refuse_changes("certificates_reportevent"),
        append_only.guard_clock("certificates_reportevent", column="at"),
        append_only.refuse_changes("certificates_reportreply"),
        migrations.RunSQL(FORWARD, BACKWARD),
        append_only.look_only_here(
            "certificates_report_follows_last_event",
            "certificates_standing_follows_report",
            "certificates_erased_stays_erased",
        ),
    ]
