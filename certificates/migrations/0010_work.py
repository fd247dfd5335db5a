"""Who has a matter in hand, what the staff noted about it, and what they set aside."""

import django.db.models.deletion
from django.db import migrations, models

from registry_site import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("certificates", "0009_holders"),
        ("evidence", "0002_written_once"),
        ("registry_site", "0003_functions_look_only_here"),
    ]

    operations = [
        migrations.CreateModel(
            name="Assignment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=20)),
                ("identifier", models.CharField(max_length=40)),
                ("at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "assigned_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry_site.person",
                    ),
                ),
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
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="assignments",
                        to="registry_site.person",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("ended_at__isnull", True)),
                        fields=["person", "kind"],
                        name="assignment_in_hand",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at__isnull", True)),
                        fields=("kind", "identifier"),
                        name="a_matter_is_in_the_hands_of_one_person",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at__isnull", True), ("ended_by__isnull", True)),
                            models.Q(("ended_at__isnull", False), ("ended_by__isnull", False)),
                            _connector="OR",
                        ),
                        name="an_assignment_ends_by_somebody_at_some_time",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SetAside",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.TextField(verbose_name="reason")),
                ("at", models.DateTimeField()),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry_site.person",
                    ),
                ),
                (
                    "package",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="set_aside",
                        to="evidence.evidencepackage",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True), name="what_is_set_aside_says_why"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="StaffNote",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=20)),
                ("identifier", models.CharField(max_length=40)),
                ("text", models.TextField(verbose_name="note")),
                ("at", models.DateTimeField()),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry_site.person",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["kind", "identifier", "-id"], name="note_about")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("text", ""), _negated=True), name="a_note_has_its_text"
                    )
                ],
            },
        ),
        append_only.refuse_changes("certificates_staffnote"),
        append_only.guard_clock("certificates_staffnote", column="at"),
        append_only.refuse_changes("certificates_setaside"),
        append_only.guard_clock("certificates_setaside", column="at"),
    ]
