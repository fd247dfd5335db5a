"""Sealed question sets, their events, and what was known of a set when it was used; all written once."""

import django.db.models.deletion
from django.db import migrations, models

from registry_site import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("grading", "0003_comparison"),
        ("registry_site", "0003_functions_look_only_here"),
    ]

    operations = [
        migrations.CreateModel(
            name="QuestionSet",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("set_sha256", models.CharField(max_length=64, unique=True)),
                ("commitment", models.CharField(max_length=64)),
                ("name", models.CharField(max_length=200)),
                ("custodian", models.CharField(max_length=200)),
                ("items", models.PositiveIntegerField()),
                ("by_category", models.JSONField()),
                ("by_language", models.JSONField()),
                ("scheme_code", models.CharField(max_length=20)),
                ("scheme_version", models.CharField(max_length=20)),
                ("examples", models.JSONField()),
                ("file", models.BinaryField()),
                ("registered_at", models.DateTimeField()),
                (
                    "registered_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry_site.person",
                    ),
                ),
            ],
            options={
                "verbose_name": "question set",
                "verbose_name_plural": "question sets",
            },
        ),
        migrations.CreateModel(
            name="QuestionSetEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "step",
                    models.CharField(
                        choices=[("seal", "sealed"), ("reveal", "revealed"), ("leak", "leaked")], max_length=6
                    ),
                ),
                ("at", models.DateTimeField()),
                ("statement_es", models.TextField(blank=True)),
                ("statement_en", models.TextField(blank=True)),
                ("occurred_on", models.DateField(null=True)),
                ("salt", models.BinaryField(null=True)),
                ("publishes_items", models.BooleanField(default=False)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry_site.person",
                    ),
                ),
                (
                    "public_event",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry_site.publicevent",
                    ),
                ),
                (
                    "question_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="grading.questionset",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="RevealedItems",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("content", models.BinaryField()),
                ("size", models.PositiveIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                (
                    "event",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="items",
                        to="grading.questionsetevent",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="SetUse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("set_sha256", models.CharField(db_index=True, max_length=64)),
                ("uses_before", models.PositiveIntegerField()),
                (
                    "exposure",
                    models.CharField(
                        blank=True,
                        choices=[("", "not exposed"), ("revealed", "revealed"), ("leaked", "leaked")],
                        default="",
                        max_length=8,
                    ),
                ),
                ("exposed_on", models.DateField(null=True)),
                ("at", models.DateTimeField()),
                (
                    "measurement",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="set_use",
                        to="grading.measurement",
                    ),
                ),
            ],
            options={
                "verbose_name": "use of a question set",
                "verbose_name_plural": "uses of question sets",
            },
        ),
        migrations.AddConstraint(
            model_name="questionsetevent",
            constraint=models.UniqueConstraint(
                fields=("question_set", "step"), name="a_set_takes_each_step_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="questionsetevent",
            constraint=models.UniqueConstraint(
                condition=models.Q(("step__in", ["reveal", "leak"])),
                fields=("question_set",),
                name="a_set_is_exposed_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="questionsetevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("salt__isnull", False), ("step", "reveal")),
                    models.Q(
                        models.Q(("step", "reveal"), _negated=True),
                        ("publishes_items", False),
                        ("salt__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="a_reveal_shows_its_salt",
            ),
        ),
        migrations.AddConstraint(
            model_name="questionsetevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("occurred_on__isnull", False), ("step", "leak")),
                    models.Q(models.Q(("step", "leak"), _negated=True), ("occurred_on__isnull", True)),
                    _connector="OR",
                ),
                name="a_leak_has_its_day",
            ),
        ),
        migrations.AddConstraint(
            model_name="questionsetevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("step", "seal"),
                    models.Q(
                        models.Q(("statement_es", ""), _negated=True),
                        models.Q(("statement_en", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="an_exposed_set_has_a_statement_in_both_languages",
            ),
        ),
        migrations.AddConstraint(
            model_name="setuse",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("exposed_on__isnull", True), ("exposure", "")),
                    models.Q(models.Q(("exposure", ""), _negated=True), ("exposed_on__isnull", False)),
                    _connector="OR",
                ),
                name="an_exposure_has_its_day",
            ),
        ),
        append_only.refuse_changes("grading_questionset"),
        append_only.guard_clock("grading_questionset", column="registered_at"),
        append_only.refuse_changes("grading_questionsetevent"),
        append_only.guard_clock("grading_questionsetevent", column="at"),
        append_only.refuse_changes("grading_revealeditems"),
        append_only.refuse_changes("grading_setuse"),
        append_only.guard_clock("grading_setuse", column="at"),
    ]
