"""Calibrations of judges against people, written once."""

import django.db.models.deletion
from django.db import migrations, models

from registry_site import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("grading", "0004_question_sets"),
        ("registry_site", "0002_written_once"),
    ]

    operations = [
        migrations.CreateModel(
            name="Calibration",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seed", models.CharField(max_length=16, verbose_name="seed")),
                ("sampled", models.PositiveIntegerField(verbose_name="answers in the sheet")),
                ("reviewers", models.PositiveSmallIntegerField(verbose_name="people")),
                ("sheets", models.JSONField()),
                ("sheets_sha256", models.CharField(max_length=64)),
                ("agreement", models.JSONField()),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("evaluator", "evaluation"),
                            ("certifier", "certification decision"),
                            ("appeals_officer", "appeals"),
                            ("registrar", "registry"),
                        ],
                        max_length=20,
                    ),
                ),
                ("at", models.DateTimeField(verbose_name="added at")),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry_site.person",
                    ),
                ),
                (
                    "measurement",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="calibrations",
                        to="grading.measurement",
                    ),
                ),
            ],
            options={
                "verbose_name": "calibration",
                "verbose_name_plural": "calibrations",
                "ordering": ["at", "id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("measurement", "sheets_sha256"), name="the_same_sheets_are_taken_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reviewers__gte", 1)), name="people_took_part_in_it"
                    ),
                ],
            },
        ),
        append_only.refuse_changes("grading_calibration"),
        append_only.guard_clock("grading_calibration", column="at"),
    ]
