"""Who speaks for a holder, and how its address changes: by a change that has waited, and by nothing else."""

from datetime import timedelta

import django.db.models.deletion
from django.db import migrations, models

from registry_site import append_only

FORWARD = """
CREATE FUNCTION evidence_contact_waits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM evidence_contactchange
        WHERE holder_id = NEW.id AND new_email = NEW.contact_email AND new_language = NEW.contact_language
          AND cancelled_at IS NULL AND applied_at IS NULL
          AND (effective_at <= clock_timestamp() + interval '5 seconds' OR registry_clock_may_move())
    ) THEN
        RAISE EXCEPTION 'the contact of a confirmed holder changes by a change that has waited'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'a_changed_contact_has_waited';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER contact_waits BEFORE UPDATE OF contact_email, contact_language ON evidence_holder
    FOR EACH ROW
    WHEN (OLD.confirmation = 'confirmed'
        AND (OLD.contact_email, OLD.contact_language) IS DISTINCT FROM (NEW.contact_email, NEW.contact_language))
    EXECUTE FUNCTION evidence_contact_waits();
"""

BACKWARD = """
DROP TRIGGER contact_waits ON evidence_holder;
DROP FUNCTION evidence_contact_waits;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("evidence", "0002_written_once"),
        ("registry_site", "0004_people"),
    ]

    operations = [
        migrations.CreateModel(
            name="ContactChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("old_email", models.EmailField(blank=True, max_length=254)),
                ("old_language", models.CharField(max_length=2)),
                ("new_email", models.EmailField(max_length=254)),
                ("new_language", models.CharField(max_length=2)),
                ("on_behalf", models.BooleanField(default=False)),
                ("asked_at", models.DateTimeField()),
                ("effective_at", models.DateTimeField()),
                ("cancelled_at", models.DateTimeField(null=True)),
                ("applied_at", models.DateTimeField(null=True)),
                (
                    "asked_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry_site.person",
                    ),
                ),
                (
                    "cancelled_by",
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
                        related_name="contact_changes",
                        to="evidence.holder",
                    ),
                ),
            ],
            options={
                "verbose_name": "change of a holder's contact",
                "verbose_name_plural": "changes of holders' contacts",
            },
        ),
        migrations.CreateModel(
            name="ContactLink",
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
                    "change",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="links",
                        to="evidence.contactchange",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="HolderMember",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("linked_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "ended_by",
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
                        related_name="members",
                        to="evidence.holder",
                    ),
                ),
                (
                    "linked_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry_site.person",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="memberships",
                        to="registry_site.person",
                    ),
                ),
            ],
            options={
                "verbose_name": "person of a holder",
                "verbose_name_plural": "persons of holders",
            },
        ),
        migrations.CreateModel(
            name="HolderInvitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "holder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="invitations",
                        to="evidence.holder",
                    ),
                ),
                (
                    "invitation",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="for_holder",
                        to="registry_site.invitation",
                    ),
                ),
                (
                    "member",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="invitation",
                        to="evidence.holdermember",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="contactchange",
            index=models.Index(
                condition=models.Q(("applied_at", None), ("cancelled_at", None)),
                fields=["effective_at"],
                name="contact_change_due",
            ),
        ),
        migrations.AddConstraint(
            model_name="contactchange",
            constraint=models.UniqueConstraint(
                condition=models.Q(("applied_at", None), ("cancelled_at", None)),
                fields=("holder",),
                name="one_change_of_contact_at_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="contactchange",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("cancelled_at__isnull", True), ("applied_at__isnull", True), _connector="OR"
                ),
                name="a_change_of_contact_ends_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="contactchange",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "effective_at__gte",
                        models.F("asked_at") + timedelta(hours=72),
                    ),
                    models.Q(
                        ("applied_at__isnull", True),
                        ("applied_at__gte", models.F("effective_at")),
                        _connector="OR",
                    ),
                ),
                name="a_change_of_contact_waits_before_it_takes_effect",
            ),
        ),
        migrations.AddConstraint(
            model_name="contactchange",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("cancelled_by__isnull", True), ("cancelled_at__isnull", False), _connector="OR"
                ),
                name="only_a_cancelled_change_of_contact_was_cancelled_by_someone",
            ),
        ),
        migrations.AddConstraint(
            model_name="holdermember",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at", None)),
                fields=("holder", "person"),
                name="a_person_is_linked_to_a_holder_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="holdermember",
            constraint=models.CheckConstraint(
                condition=models.Q(("person", models.F("linked_by")), _negated=True),
                name="nobody_links_oneself_to_a_holder",
            ),
        ),
        migrations.AddConstraint(
            model_name="holdermember",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("ended_at__isnull", True), ("ended_by__isnull", True)),
                    models.Q(("ended_at__isnull", False), ("ended_by__isnull", False)),
                    _connector="OR",
                ),
                name="an_ended_link_says_who_ended_it_and_when",
            ),
        ),
        append_only.guard_clock("evidence_contactchange", column="asked_at"),
        append_only.guard_clock("evidence_holdermember", column="linked_at"),
        migrations.RunSQL(FORWARD, BACKWARD),
        append_only.look_only_here("evidence_contact_waits"),
    ]
