"""How an appeal came, by link, account or on the holder's behalf; written requests to appeal and to withdraw."""

import django.db.models.deletion
from django.db import migrations, models

from registry_site import append_only

# The order of steps as before, and rules 2 and 6 for what was stored in writing.
FORWARD = """
CREATE OR REPLACE FUNCTION certificates_appeal_follows_last_event() RETURNS trigger LANGUAGE plpgsql AS $$
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
    IF NEW.role IS NOT NULL AND EXISTS (
        SELECT FROM certificates_appealevent e JOIN certificates_holderrequest r ON r.id = e.request_id
        WHERE e.appeal_id = NEW.appeal_id AND NEW.by_id IN (e.by_id, r.stored_by_id)
    ) THEN
        RAISE EXCEPTION 'whoever spoke for the holder on an appeal does not decide it'
            USING ERRCODE = 'check_violation',
            CONSTRAINT = 'whoever_spoke_for_the_holder_does_not_decide_its_appeal';
    END IF;
    IF NEW.request_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM certificates_holderrequest r
        WHERE r.id = NEW.request_id AND r.stored_by_id <> NEW.by_id AND r.notice_id = filed.notice_id
          AND r.kind = CASE NEW.step WHEN 'file' THEN 'appeal' ELSE 'withdraw' END
    ) THEN
        RAISE EXCEPTION 'a second person acts on the stored request of the holder, and on this very one'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'a_second_person_acts_on_a_stored_request';
    END IF;
    RETURN NEW;
END $$;
"""

BACKWARD = """
CREATE OR REPLACE FUNCTION certificates_appeal_follows_last_event() RETURNS trigger LANGUAGE plpgsql AS $$
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
"""


class Migration(migrations.Migration):
    dependencies = [
        ("certificates", "0008_reports"),
        ("registry_site", "0005_mail"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="appealevent",
            name="the_holder_files_and_withdraws_and_staff_do_the_rest",
        ),
        migrations.AddField(
            model_name="appealevent",
            name="request",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="appeal_event",
                to="certificates.holderrequest",
            ),
        ),
        migrations.AddField(
            model_name="appealevent",
            name="way",
            field=models.CharField(
                choices=[
                    ("link", "by the holder"),
                    ("account", "by the holder"),
                    ("on_behalf", "on the holder's behalf, at its written request"),
                ],
                max_length=9,
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="holderrequest",
            name="notice",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="holder_requests",
                to="certificates.notice",
            ),
        ),
        migrations.AlterField(
            model_name="holderrequest",
            name="certificate",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="holder_requests",
                to="certificates.certificate",
            ),
        ),
        migrations.AlterField(
            model_name="holderrequest",
            name="kind",
            field=models.CharField(
                choices=[
                    ("terminate", "to end the certificate"),
                    ("supersede", "to supersede the certificate by another"),
                    ("appeal", "to appeal against a decision"),
                    ("withdraw", "to withdraw an appeal"),
                ],
                max_length=10,
            ),
        ),
        migrations.AddConstraint(
            model_name="appealevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("role__isnull", True), ("step__in", ["file", "withdraw"])),
                    models.Q(
                        models.Q(("step__in", ["file", "withdraw"]), _negated=True),
                        ("by__isnull", False),
                        ("request__isnull", True),
                        ("role__isnull", False),
                        ("way__isnull", True),
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
                    ("role__isnull", False),
                    models.Q(
                        models.Q(("way__isnull", True), ("way", "link"), _connector="OR"),
                        ("by__isnull", True),
                        ("request__isnull", True),
                    ),
                    models.Q(("by__isnull", False), ("request__isnull", True), ("way", "account")),
                    models.Q(("by__isnull", False), ("request__isnull", False), ("way", "on_behalf")),
                    _connector="OR",
                ),
                name="what_a_holder_does_on_an_appeal_says_how_it_came",
            ),
        ),
        migrations.AddConstraint(
            model_name="holderrequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("certificate__isnull", False),
                        ("kind__in", ["terminate", "supersede"]),
                        ("notice__isnull", True),
                    ),
                    models.Q(("kind__in", ["appeal", "withdraw"]), ("notice__isnull", False)),
                    _connector="OR",
                ),
                name="a_request_is_about_a_certificate_or_a_decision",
            ),
        ),
        migrations.RunSQL(FORWARD, BACKWARD),
        # Replacing a function forgets where it looks.
        append_only.look_only_here("certificates_appeal_follows_last_event"),
    ]
