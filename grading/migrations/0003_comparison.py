"""Comparisons of two measurements, written once, and the requests for them."""

import django.db.models.deletion
from django.db import migrations, models

from registry_site import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("grading", "0002_written_once"),
    ]

    operations = [
        migrations.CreateModel(
            name="Comparison",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("verifier_version", models.CharField(max_length=40)),
                ("result", models.JSONField()),
                ("sha256", models.CharField(max_length=64)),
                ("at", models.DateTimeField()),
                (
                    "first",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="comparisons_as_first",
                        to="grading.measurement",
                    ),
                ),
                (
                    "second",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="comparisons_as_second",
                        to="grading.measurement",
                    ),
                ),
            ],
            options={
                "verbose_name": "comparison",
                "verbose_name_plural": "comparisons",
                "constraints": [
                    models.UniqueConstraint(fields=("first", "second"), name="a_pair_is_compared_once"),
                    models.CheckConstraint(
                        condition=models.Q(("first__lt", models.F("second"))),
                        name="the_earlier_measurement_is_compared_as_the_first",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ComparisonRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "origin",
                    models.CharField(
                        choices=[
                            ("pipeline", "the registry itself, when a measurement was frozen"),
                            ("staff", "the staff"),
                            ("anybody", "anybody"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("requested", "requested"),
                            ("computing", "being computed"),
                            ("done", "done"),
                            ("failed", "system fault"),
                        ],
                        default="requested",
                        max_length=9,
                    ),
                ),
                ("failure", models.CharField(blank=True, max_length=60)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("lease", models.UUIDField(null=True)),
                ("lease_until", models.DateTimeField(null=True)),
                ("deadline_at", models.DateTimeField(null=True)),
                ("progress_bytes", models.BigIntegerField(default=0)),
                ("progress_total", models.BigIntegerField(default=0)),
                ("requested_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "first",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.measurement",
                    ),
                ),
                (
                    "second",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="grading.measurement",
                    ),
                ),
            ],
            options={
                "verbose_name": "request for a comparison",
                "verbose_name_plural": "requests for comparisons",
                "indexes": [
                    models.Index(fields=["state", "deadline_at"], name="grading_com_state_28649c_idx")
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("first", "second"), name="a_pair_is_asked_for_once"),
                    models.CheckConstraint(
                        condition=models.Q(("first__lt", models.F("second"))),
                        name="the_earlier_measurement_is_asked_for_as_the_first",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["done", "failed"]), ("deadline_at__isnull", False), _connector="OR"
                        ),
                        name="every_unfinished_comparison_has_a_deadline",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "failed"), models.Q(("failure", ""), _negated=True)),
                            models.Q(("state", "failed"), _negated=True),
                            _connector="OR",
                        ),
                        name="a_failed_comparison_says_why",
                    ),
                ],
            },
        ),
        append_only.refuse_changes("grading_comparison"),
        append_only.guard_clock("grading_comparison", column="at"),
    ]
