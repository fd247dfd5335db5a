"""Applications: what was filed, its steps and links; and triggers that hold their order and the second person."""

import django.db.models.deletion
from django.db import migrations, models

import registry_site.role_names
from registry_site import append_only

FORWARD = """
CREATE FUNCTION certificates_application_follows_last_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last_event certificates_applicationevent%ROWTYPE;
    filed certificates_application%ROWTYPE;
BEGIN
    SELECT * INTO filed FROM certificates_application WHERE id = NEW.application_id;
    SELECT * INTO last_event FROM certificates_applicationevent
        WHERE application_id = NEW.application_id ORDER BY sequence DESC LIMIT 1;
    IF NEW.sequence <> coalesce(last_event.sequence, 0) + 1 OR NEW.at < last_event.at THEN
        RAISE EXCEPTION 'steps of an application follow one another'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'a_step_of_an_application_follows_the_last_one';
    END IF;
    IF (coalesce(last_event.step, 'none'), NEW.step) NOT IN (
        ('none', 'file'), ('file', 'issue'), ('file', 'refuse'), ('file', 'declare_inadmissible'),
        ('file', 'withdraw'), ('refuse', 'reopen'), ('reopen', 'issue'), ('reopen', 'refuse'),
        ('reopen', 'declare_inadmissible'), ('reopen', 'withdraw')
    ) THEN
        RAISE EXCEPTION 'an application does not go from % to %', last_event.step, NEW.step
            USING ERRCODE = 'check_violation', CONSTRAINT = 'an_application_takes_the_steps_of_its_table';
    END IF;
    IF filed.way = 'on_behalf' AND NEW.by_id = filed.entered_by_id
        AND NEW.step IN ('issue', 'refuse', 'declare_inadmissible') THEN
        RAISE EXCEPTION 'whoever stored an application does not answer it'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'a_second_person_answers_what_was_stored_on_behalf';
    END IF;
    IF NEW.notice_id IS NOT NULL AND filed.measurement_id IS DISTINCT FROM (
        SELECT coalesce(c.measurement_id, n.measurement_id) FROM certificates_notice n
        LEFT JOIN certificates_certificate c ON c.id = n.certificate_id WHERE n.id = NEW.notice_id) THEN
        RAISE EXCEPTION 'the notice of an application is about its measurement'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'the_notice_of_an_application_is_about_its_measurement';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER application_follows_last_event BEFORE INSERT ON certificates_applicationevent
    FOR EACH ROW EXECUTE FUNCTION certificates_application_follows_last_event();

CREATE FUNCTION certificates_standing_follows_application() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE last_event certificates_applicationevent%ROWTYPE;
BEGIN
    SELECT * INTO last_event FROM certificates_applicationevent
        WHERE application_id = NEW.application_id ORDER BY sequence DESC LIMIT 1;
    IF last_event.sequence IS DISTINCT FROM NEW.sequence::int OR NEW.state IS DISTINCT FROM (
        CASE last_event.step WHEN 'file' THEN 'filed' WHEN 'reopen' THEN 'filed' WHEN 'issue' THEN 'issued'
            WHEN 'refuse' THEN 'refused' WHEN 'declare_inadmissible' THEN 'inadmissible' ELSE 'withdrawn' END)
        OR NEW.measurement_id IS DISTINCT FROM (
            SELECT measurement_id FROM certificates_application WHERE id = NEW.application_id)
    THEN
        RAISE EXCEPTION 'an application stands where its last step led'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'an_application_stands_where_its_last_step_led';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER standing_follows_application BEFORE INSERT OR UPDATE ON certificates_applicationstanding
    FOR EACH ROW EXECUTE FUNCTION certificates_standing_follows_application();
"""

BACKWARD = """
DROP TRIGGER standing_follows_application ON certificates_applicationstanding;
DROP FUNCTION certificates_standing_follows_application;
DROP TRIGGER application_follows_last_event ON certificates_applicationevent;
DROP FUNCTION certificates_application_follows_last_event;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("certificates", "0006_deadlines"),
        ("evidence", "0002_written_once"),
        ("grading", "0005_calibration"),
        ("registry_site", "0003_functions_look_only_here"),
    ]

    operations = [
        migrations.CreateModel(
            name="Application",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.CharField(max_length=20, unique=True, verbose_name="number")),
                (
                    "way",
                    models.CharField(
                        choices=[
                            ("link", "filed by the holder"),
                            ("account", "filed by the holder"),
                            ("on_behalf", "filed on the holder's behalf, at its written request"),
                        ],
                        max_length=9,
                    ),
                ),
                ("filed_at", models.DateTimeField()),
                ("request_text", models.TextField(blank=True, default="")),
                ("received_on", models.DateField(null=True)),
                (
                    "entered_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry_site.person",
                    ),
                ),
                (
                    "holder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="applications",
                        to="evidence.holder",
                    ),
                ),
                (
                    "measurement",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="applications",
                        to="grading.measurement",
                    ),
                ),
            ],
            options={
                "verbose_name": "application",
                "verbose_name_plural": "applications",
            },
        ),
        migrations.CreateModel(
            name="ApplicationEvent",
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
                            ("issue", "certificate issued"),
                            ("refuse", "refused"),
                            ("declare_inadmissible", "declared inadmissible"),
                            ("withdraw", "withdrawn"),
                            ("reopen", "open again: the refusal was overturned on appeal"),
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
                    "reason",
                    models.CharField(
                        choices=[
                            ("not_the_holder", "whoever filed it does not speak for the holder"),
                            ("incomplete", "it lacks something that the scheme asks for"),
                            ("out_of_scope", "it asks for what is not certified here"),
                            ("other", "of what its reasons say"),
                        ],
                        max_length=20,
                        null=True,
                    ),
                ),
                ("reasons_es", models.TextField(blank=True, default="")),
                ("reasons_en", models.TextField(blank=True, default="")),
                (
                    "application",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="certificates.application",
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry_site.person",
                    ),
                ),
                (
                    "notice",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="application_event",
                        to="certificates.notice",
                    ),
                ),
            ],
            options={
                "ordering": ["application", "sequence"],
            },
        ),
        migrations.CreateModel(
            name="ApplicationLink",
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
                            ("apply", "to apply for a certificate"),
                            ("follow", "to follow an application, and to withdraw it"),
                        ],
                        max_length=6,
                    ),
                ),
                (
                    "application",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="links",
                        to="certificates.application",
                    ),
                ),
                (
                    "holder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="evidence.holder"
                    ),
                ),
                (
                    "measurement",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="application_links",
                        to="grading.measurement",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ApplicationStanding",
            fields=[
                (
                    "application",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="standing",
                        serialize=False,
                        to="certificates.application",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("filed", "awaiting a decision"),
                            ("issued", "certificate issued"),
                            ("refused", "refused"),
                            ("inadmissible", "inadmissible"),
                            ("withdrawn", "withdrawn"),
                        ],
                        max_length=12,
                    ),
                ),
                ("sequence", models.PositiveSmallIntegerField()),
                ("deadline_at", models.DateTimeField(null=True)),
                (
                    "measurement",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.measurement",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="application",
            constraint=models.CheckConstraint(
                condition=models.Q(("number__regex", "^SOL-[12][0-9]{3}-([0-9]{6}|[1-9][0-9]{6,8})$")),
                name="an_application_number_has_its_form",
            ),
        ),
        migrations.AddConstraint(
            model_name="application",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("entered_by__isnull", True),
                        ("received_on__isnull", True),
                        ("request_text", ""),
                        ("way", "link"),
                    ),
                    models.Q(
                        ("entered_by__isnull", False),
                        ("received_on__isnull", True),
                        ("request_text", ""),
                        ("way", "account"),
                    ),
                    models.Q(
                        ("entered_by__isnull", False),
                        ("received_on__isnull", False),
                        ("way", "on_behalf"),
                        models.Q(("request_text", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="an_application_says_how_it_came",
            ),
        ),
        migrations.AddConstraint(
            model_name="applicationevent",
            constraint=models.UniqueConstraint(
                fields=("application", "sequence"), name="an_application_takes_one_step_at_a_time"
            ),
        ),
        migrations.AddConstraint(
            model_name="applicationevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("by__isnull", False),
                        ("role__isnull", False),
                        ("step__in", ["declare_inadmissible", "issue", "refuse", "reopen"]),
                    ),
                    models.Q(
                        models.Q(
                            ("step__in", ["declare_inadmissible", "issue", "refuse", "reopen"]), _negated=True
                        ),
                        ("role__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="whoever_answers_an_application_does_so_in_a_role",
            ),
        ),
        migrations.AddConstraint(
            model_name="applicationevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("notice__isnull", False), ("step__in", ["issue", "refuse", "reopen"])),
                    models.Q(
                        models.Q(("step__in", ["issue", "refuse", "reopen"]), _negated=True),
                        ("notice__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="a_decision_on_an_application_stands_in_a_notice",
            ),
        ),
        migrations.AddConstraint(
            model_name="applicationevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("reason__isnull", False),
                        ("step", "declare_inadmissible"),
                        models.Q(("reasons_es", ""), _negated=True),
                        models.Q(("reasons_en", ""), _negated=True),
                    ),
                    models.Q(
                        models.Q(("step", "declare_inadmissible"), _negated=True),
                        ("reason__isnull", True),
                        ("reasons_en", ""),
                        ("reasons_es", ""),
                    ),
                    _connector="OR",
                ),
                name="an_inadmissible_application_says_why",
            ),
        ),
        migrations.AddConstraint(
            model_name="applicationlink",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("application__isnull", True), ("measurement__isnull", False), ("purpose", "apply")
                    ),
                    models.Q(
                        ("application__isnull", False), ("measurement__isnull", True), ("purpose", "follow")
                    ),
                    _connector="OR",
                ),
                name="an_application_link_has_one_purpose_on_one_object",
            ),
        ),
        migrations.AddIndex(
            model_name="applicationstanding",
            index=models.Index(
                condition=models.Q(("state__in", ["filed"])),
                fields=["deadline_at"],
                name="application_open_by_deadline",
            ),
        ),
        migrations.AddConstraint(
            model_name="applicationstanding",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["filed"])),
                fields=("measurement",),
                name="one_open_application_per_measurement",
            ),
        ),
        migrations.AddConstraint(
            model_name="applicationstanding",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("deadline_at__isnull", False), ("state__in", ["filed"])),
                    models.Q(
                        models.Q(("state__in", ["filed"]), _negated=True), ("deadline_at__isnull", True)
                    ),
                    _connector="OR",
                ),
                name="an_open_application_has_a_deadline",
            ),
        ),
        append_only.refuse_changes("certificates_application"),
        append_only.guard_clock("certificates_application", column="filed_at"),
        append_only.refuse_changes("certificates_applicationevent"),
        append_only.guard_clock("certificates_applicationevent", column="at"),
        migrations.RunSQL(FORWARD, BACKWARD),
        append_only.look_only_here(
            "certificates_application_follows_last_event", "certificates_standing_follows_application"
        ),
    ]
