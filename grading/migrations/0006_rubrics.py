"""Rubrics, sealed once, and the marks given under them."""

import django.db.models.deletion
from django.db import migrations, models

from registry_site import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("evidence", "0005_runs"),
        ("grading", "0005_calibration"),
        ("registry_site", "0007_audit_by_time"),
    ]

    operations = [
        migrations.CreateModel(
            name="RubricDraft",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("document", models.BinaryField()),
                ("created_at", models.DateTimeField()),
                ("changed_at", models.DateTimeField()),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rubric_drafts",
                        to="evidence.testcase",
                    ),
                ),
                (
                    "written_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry_site.person",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Mark",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("point", models.CharField(max_length=40)),
                (
                    "mark",
                    models.CharField(
                        choices=[
                            ("met", "met"),
                            ("not_met", "not met"),
                            ("not_observable", "not observable"),
                        ],
                        max_length=14,
                    ),
                ),
                ("requests", models.JSONField(default=list)),
                ("note", models.TextField(blank=True)),
                ("at", models.DateTimeField()),
                ("reason", models.TextField(blank=True)),
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
                    "replaces",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="replaced_by",
                        to="grading.mark",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="marks", to="evidence.run"
                    ),
                ),
            ],
            options={
                "verbose_name": "mark",
                "verbose_name_plural": "marks",
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("replaces__isnull", True)),
                        fields=("run", "point"),
                        name="a_point_has_one_first_mark",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("replaces__isnull", True),
                            models.Q(("by__isnull", False), models.Q(("reason", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="a_changed_mark_says_who_changed_it_and_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("mark", "met"), _negated=True),
                            models.Q(("requests", []), _negated=True),
                            _connector="OR",
                        ),
                        name="nothing_is_met_without_a_request_that_supports_it",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Rubric",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.PositiveIntegerField()),
                ("document", models.BinaryField()),
                ("salt", models.BinaryField()),
                ("commitment", models.CharField(max_length=64, unique=True)),
                ("made_at", models.DateTimeField()),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rubrics",
                        to="evidence.testcase",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry_site.person",
                    ),
                ),
            ],
            options={
                "verbose_name": "rubric",
                "verbose_name_plural": "rubrics",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("case", "version"), name="a_rubric_version_is_sealed_once"
                    )
                ],
            },
        ),
        append_only.refuse_changes("grading_rubric"),
        append_only.guard_clock("grading_rubric", column="made_at"),
        append_only.refuse_changes("grading_mark"),
        append_only.guard_clock("grading_mark", column="at"),
    ]
