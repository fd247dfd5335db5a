"""Appeals: what was filed, its steps, its contact and links; and triggers that hold their order and finality."""

import django.db.models.deletion
from django.db import migrations, models

import registry_site.append_only
import registry_site.role_names
from registry_site import append_only

FORWARD = """
CREATE FUNCTION certificates_appeal_follows_last_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last_event certificates_appealevent%ROWTYPE;
    filed certificates_appeal%ROWTYPE;
BEGIN
    SELECT * INTO filed FROM certificates_appeal WHERE id = NEW.appeal_id;
    SELECT * INTO last_event FROM certificates_appealevent
        WHERE appeal_id = NEW.appeal_id ORDER BY sequence DESC LIMIT 1;
    IF NEW.sequence <> coalesce(last_event.sequence, 0) + 1 OR NEW.at < last_event.at THEN
        RAISE EXCEPTION 'steps of an appeal follow one another'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'a_step_of_an_appeal_follows_the_last_one';
    END IF;
    IF (coalesce(last_event.step, 'none'), NEW.step) NOT IN (
        ('none', 'file'), ('file', 'admit'), ('file', 'declare_inadmissible'), ('file', 'withdraw'),
        ('admit', 'decide'), ('admit', 'withdraw')
    ) OR (filed.late AND NEW.step = 'admit') THEN
        RAISE EXCEPTION 'an appeal does not go from % to %', last_event.step, NEW.step
            USING ERRCODE = 'check_violation', CONSTRAINT = 'an_appeal_takes_the_steps_of_its_table';
    END IF;
    IF NEW.by_id IS NOT NULL AND NEW.by_id =
        (SELECT decided_by_id FROM certificates_notice WHERE id = filed.notice_id) THEN
        RAISE EXCEPTION 'nobody decides an appeal against the own decision'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'nobody_decides_an_appeal_against_the_own_decision';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER appeal_follows_last_event BEFORE INSERT ON certificates_appealevent
    FOR EACH ROW EXECUTE FUNCTION certificates_appeal_follows_last_event();

CREATE FUNCTION certificates_standing_follows_appeal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE last_event certificates_appealevent%ROWTYPE;
BEGIN
    SELECT * INTO last_event FROM certificates_appealevent
        WHERE appeal_id = NEW.appeal_id ORDER BY sequence DESC LIMIT 1;
    IF last_event.sequence IS DISTINCT FROM NEW.sequence::int OR NEW.state IS DISTINCT FROM (
        CASE last_event.step WHEN 'file' THEN 'filed' WHEN 'admit' THEN 'admitted'
            WHEN 'declare_inadmissible' THEN 'inadmissible' WHEN 'decide' THEN 'decided' ELSE 'withdrawn' END)
    THEN
        RAISE EXCEPTION 'an appeal stands where its last step led'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'an_appeal_stands_where_its_last_step_led';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER standing_follows_appeal BEFORE INSERT OR UPDATE ON certificates_appealstanding
    FOR EACH ROW EXECUTE FUNCTION certificates_standing_follows_appeal();

CREATE FUNCTION certificates_no_finality_under_appeal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM certificates_appeal a JOIN certificates_statusevent e ON e.notice_id = a.notice_id
        WHERE e.id = NEW.target_id AND NOT EXISTS (
            SELECT FROM certificates_appealevent s
            WHERE s.appeal_id = a.id AND s.step IN ('declare_inadmissible', 'decide', 'withdraw'))
    ) THEN
        RAISE EXCEPTION 'a revocation under appeal does not become final'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'a_revocation_under_appeal_is_not_final';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER no_finality_under_appeal BEFORE INSERT ON certificates_statusevent
    FOR EACH ROW WHEN (NEW.step = 'finalise') EXECUTE FUNCTION certificates_no_finality_under_appeal();
"""

BACKWARD = """
DROP TRIGGER no_finality_under_appeal ON certificates_statusevent;
DROP FUNCTION certificates_no_finality_under_appeal;
DROP TRIGGER standing_follows_appeal ON certificates_appealstanding;
DROP FUNCTION certificates_standing_follows_appeal;
DROP TRIGGER appeal_follows_last_event ON certificates_appealevent;
DROP FUNCTION certificates_appeal_follows_last_event;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("certificates", "0004_functions_look_only_here"),
        ("grading", "0003_comparison"),
        ("registry_site", "0003_functions_look_only_here"),
    ]

    operations = [
        migrations.CreateModel(
            name="Appeal",
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
                ("filed_at", models.DateTimeField()),
                ("late", models.BooleanField(default=False)),
                ("grounds", models.TextField()),
            ],
            options={
                "verbose_name": "appeal",
                "verbose_name_plural": "appeals",
            },
        ),
        migrations.CreateModel(
            name="AppealAttachment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("name", models.CharField(max_length=200)),
                ("kind", models.CharField(max_length=10)),
                ("size", models.PositiveIntegerField()),
                ("sha256", models.CharField(max_length=64)),
            ],
            options={
                "ordering": ["appeal", "position"],
            },
        ),
        migrations.CreateModel(
            name="AppealEvent",
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
                            ("file", "filed"),
                            ("admit", "admitted"),
                            ("declare_inadmissible", "declared inadmissible"),
                            ("decide", "decided"),
                            ("withdraw", "withdrawn"),
                        ],
                        max_length=20,
                    ),
                ),
                ("at", models.DateTimeField()),
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
                (
                    "effect",
                    models.CharField(
                        choices=[
                            ("vary", "the decision is varied"),
                            ("amend", "its public statement is amended"),
                            ("none", "the decision stays as it is"),
                        ],
                        max_length=5,
                        null=True,
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("late", "it was filed after the period"),
                            ("not_the_holder", "whoever filed it does not speak for the holder"),
                            ("without_grounds", "it gives no grounds"),
                            ("other", "of what its reasons say"),
                        ],
                        max_length=20,
                        null=True,
                    ),
                ),
                ("summary_es", models.TextField(blank=True, default="")),
                ("summary_en", models.TextField(blank=True, default="")),
                ("reasons_es", models.TextField(blank=True, default="")),
                ("reasons_en", models.TextField(blank=True, default="")),
                ("amended_es", models.TextField(blank=True, default="")),
                ("amended_en", models.TextField(blank=True, default="")),
            ],
            options={
                "ordering": ["appeal", "sequence"],
            },
        ),
        migrations.CreateModel(
            name="AppealLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "purpose",
                    models.CharField(
                        choices=[
                            ("file", "to file an appeal"),
                            ("follow", "to follow an appeal, and to withdraw it"),
                        ],
                        max_length=6,
                    ),
                ),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(null=True)),
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
                    models.Q(models.Q(("decision", "refuse"), _negated=True), ("certificate__isnull", False)),
                    _connector="OR",
                ),
                name="a_refusal_is_about_a_measurement_and_all_else_about_a_certificate",
            ),
        ),
        migrations.AddField(
            model_name="appeal",
            name="certificate",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="appeals",
                to="certificates.certificate",
            ),
        ),
        migrations.AddField(
            model_name="appeal",
            name="notice",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT, related_name="appeal", to="certificates.notice"
            ),
        ),
        migrations.AddField(
            model_name="appealattachment",
            name="appeal",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="attachments",
                to="certificates.appeal",
            ),
        ),
        migrations.AddField(
            model_name="appealevent",
            name="appeal",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="events", to="certificates.appeal"
            ),
        ),
        migrations.AddField(
            model_name="appealevent",
            name="by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="registry_site.person",
            ),
        ),
        migrations.AddField(
            model_name="appealevent",
            name="notice",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="appeal_event",
                to="certificates.notice",
            ),
        ),
        migrations.AddField(
            model_name="appealevent",
            name="public_event",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="appeal_event",
                to="registry_site.publicevent",
            ),
        ),
        migrations.AddField(
            model_name="appeallink",
            name="appeal",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="links",
                to="certificates.appeal",
            ),
        ),
        migrations.AddField(
            model_name="appeallink",
            name="notice",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="appeal_links",
                to="certificates.notice",
            ),
        ),
        migrations.CreateModel(
            name="AppealContact",
            fields=[
                (
                    "appeal",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="contact",
                        serialize=False,
                        to="certificates.appeal",
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=200)),
                ("email", models.EmailField(blank=True, max_length=254)),
                ("language", models.CharField(default="es", max_length=2)),
                ("erased_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("erased_at__isnull", True),
                            models.Q(("email", ""), ("name", "")),
                            _connector="OR",
                        ),
                        name="an_erased_contact_holds_nothing",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AppealStanding",
            fields=[
                (
                    "appeal",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="standing",
                        serialize=False,
                        to="certificates.appeal",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("filed", "filed"),
                            ("admitted", "admitted"),
                            ("inadmissible", "inadmissible"),
                            ("decided", "decided"),
                            ("withdrawn", "withdrawn"),
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
                        condition=models.Q(("state__in", ["filed", "admitted"])),
                        fields=["deadline_at"],
                        name="appeal_open_by_deadline",
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("deadline_at__isnull", False), ("state__in", ["filed", "admitted"])),
                            models.Q(
                                models.Q(("state__in", ["filed", "admitted"]), _negated=True),
                                ("deadline_at__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="an_open_appeal_has_a_deadline",
                    )
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="appeal",
            constraint=models.CheckConstraint(
                condition=models.Q(("number__regex", "^AP-[12][0-9]{3}-([0-9]{6}|[1-9][0-9]{6,8})$")),
                name="an_appeal_number_has_its_form",
            ),
        ),
        migrations.AddConstraint(
            model_name="appeal",
            constraint=models.CheckConstraint(
                condition=models.Q(("grounds", ""), _negated=True), name="an_appeal_has_its_grounds"
            ),
        ),
        migrations.AddConstraint(
            model_name="appealattachment",
            constraint=models.UniqueConstraint(
                fields=("appeal", "position"), name="an_attachment_has_its_own_place"
            ),
        ),
        migrations.AddConstraint(
            model_name="appealattachment",
            constraint=models.CheckConstraint(
                condition=models.Q(("sha256__regex", "^[0-9a-f]{64}$")),
                name="an_attachment_is_named_by_its_digest",
            ),
        ),
        migrations.AddConstraint(
            model_name="appealevent",
            constraint=models.UniqueConstraint(
                fields=("appeal", "sequence"), name="an_appeal_takes_one_step_at_a_time"
            ),
        ),
        migrations.AddConstraint(
            model_name="appealevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("by__isnull", True), ("role__isnull", True), ("step__in", ["file", "withdraw"])
                    ),
                    models.Q(
                        models.Q(("step__in", ["file", "withdraw"]), _negated=True),
                        ("by__isnull", False),
                        ("role__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="the_holder_files_and_withdraws_and_staff_do_the_rest",
            ),
        ),
        migrations.AddConstraint(
            model_name="appealevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("step", "admit"), _negated=True),
                    models.Q(
                        models.Q(("summary_es", ""), _negated=True),
                        models.Q(("summary_en", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="an_admitted_appeal_has_a_summary_in_both_languages",
            ),
        ),
        migrations.AddConstraint(
            model_name="appealevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("notice__isnull", False),
                        ("step__in", ["decide", "declare_inadmissible"]),
                        models.Q(("reasons_es", ""), _negated=True),
                        models.Q(("reasons_en", ""), _negated=True),
                    ),
                    models.Q(
                        models.Q(("step__in", ["decide", "declare_inadmissible"]), _negated=True),
                        ("notice__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="an_appeal_ends_with_reasons_in_a_notice",
            ),
        ),
        migrations.AddConstraint(
            model_name="appealevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("outcome__isnull", False), ("step", "decide")),
                    models.Q(models.Q(("step", "decide"), _negated=True), ("outcome__isnull", True)),
                    _connector="OR",
                ),
                name="only_a_decided_appeal_has_an_outcome",
            ),
        ),
        migrations.AddConstraint(
            model_name="appealevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("effect__isnull", False), ("outcome", "partly_upheld")),
                    models.Q(
                        models.Q(
                            ("outcome__isnull", True),
                            models.Q(("outcome", "partly_upheld"), _negated=True),
                            _connector="OR",
                        ),
                        ("effect__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="only_what_is_upheld_in_part_names_its_effect",
            ),
        ),
        migrations.AddConstraint(
            model_name="appealevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("reason__isnull", False), ("step", "declare_inadmissible")),
                    models.Q(
                        models.Q(("step", "declare_inadmissible"), _negated=True), ("reason__isnull", True)
                    ),
                    _connector="OR",
                ),
                name="an_inadmissible_appeal_says_why",
            ),
        ),
        migrations.AddConstraint(
            model_name="appealevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("effect", "amend"),
                        models.Q(("amended_es", ""), _negated=True),
                        models.Q(("amended_en", ""), _negated=True),
                    ),
                    models.Q(
                        models.Q(
                            ("effect__isnull", True),
                            models.Q(("effect", "amend"), _negated=True),
                            _connector="OR",
                        ),
                        ("amended_en", ""),
                        ("amended_es", ""),
                    ),
                    _connector="OR",
                ),
                name="an_amended_statement_speaks_both_languages",
            ),
        ),
        migrations.AddConstraint(
            model_name="appeallink",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("appeal__isnull", True), ("notice__isnull", False), ("purpose", "file")),
                    models.Q(("appeal__isnull", False), ("notice__isnull", True), ("purpose", "follow")),
                    _connector="OR",
                ),
                name="a_link_has_one_purpose_on_one_object",
            ),
        ),
        append_only.refuse_changes("certificates_appeal"),
        append_only.guard_clock("certificates_appeal", column="filed_at"),
        append_only.refuse_changes("certificates_appealattachment"),
        append_only.freeze_children(
            "certificates_appealattachment", parent="certificates_appeal", key="appeal_id"
        ),
        append_only.refuse_changes("certificates_appealevent"),
        append_only.guard_clock("certificates_appealevent", column="at"),
        migrations.RunSQL(FORWARD, BACKWARD),
        append_only.look_only_here(
            "certificates_appeal_follows_last_event",
            "certificates_standing_follows_appeal",
            "certificates_no_finality_under_appeal",
        ),
    ]
