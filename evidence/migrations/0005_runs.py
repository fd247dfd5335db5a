"""Agent runs: cases, series, operators, runs, and what the recorder saw of them, written once."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from registry_site import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("evidence", "0004_package_names"),
        ("registry_site", "0007_audit_by_time"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="RequestArrived",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sequence", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                ("method", models.CharField(max_length=40)),
                ("target", models.TextField()),
                ("url", models.TextField()),
                ("path", models.TextField()),
                ("headers", models.JSONField()),
                ("body_size", models.BigIntegerField(default=0)),
                ("body_sha256", models.CharField(blank=True, max_length=64)),
                ("beyond_limit", models.BooleanField()),
            ],
            options={
                "verbose_name": "recorded request",
                "verbose_name_plural": "recorded requests",
                "ordering": ["run", "sequence"],
            },
        ),
        migrations.CreateModel(
            name="CaseVariant",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("start_domain", models.CharField(max_length=253)),
                ("assignment", models.TextField()),
                ("sha256", models.CharField(max_length=64)),
                ("made_at", models.DateTimeField()),
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
                "verbose_name": "variant of a test case",
                "verbose_name_plural": "variants of test cases",
            },
        ),
        migrations.CreateModel(
            name="Operator",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("organisation", models.CharField(max_length=200, verbose_name="organisation")),
                ("admitted_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "admitted_by",
                    models.ForeignKey(
                        null=True,
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
                        related_name="operating",
                        to="registry_site.person",
                    ),
                ),
            ],
            options={
                "verbose_name": "operator",
                "verbose_name_plural": "operators",
            },
        ),
        migrations.CreateModel(
            name="OperatorInvitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("organisation", models.CharField(max_length=200)),
                (
                    "invitation",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="for_operator",
                        to="registry_site.invitation",
                    ),
                ),
                (
                    "operator",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="invitation",
                        to="evidence.operator",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ResponseSent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                ("status", models.PositiveSmallIntegerField()),
                ("headers", models.JSONField()),
                ("content_type", models.CharField(blank=True, max_length=200)),
                ("size", models.BigIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                (
                    "ending",
                    models.CharField(
                        choices=[
                            ("complete", "complete"),
                            ("upstream_cut", "cut by the site"),
                            ("client_gone", "the agent went away"),
                            ("upstream_down", "the site could not be reached"),
                            ("refused", "refused by the recorder"),
                        ],
                        max_length=13,
                    ),
                ),
                (
                    "arrival",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="response",
                        to="evidence.requestarrived",
                    ),
                ),
            ],
            options={
                "verbose_name": "recorded response",
                "verbose_name_plural": "recorded responses",
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.CharField(max_length=20, unique=True)),
                ("operator_name", models.CharField(blank=True, max_length=200)),
                ("contact_email", models.EmailField(blank=True, max_length=254)),
                ("permission", models.TextField(blank=True)),
                ("tools", models.JSONField(default=list)),
                ("language", models.CharField(max_length=20)),
                ("clean_session", models.BooleanField()),
                ("delivered", models.TextField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("registered", "registered"),
                            ("recording", "recording"),
                            ("closed", "closed"),
                            ("graded", "graded"),
                            ("in_review", "under operator's review"),
                            ("published", "published"),
                            ("withheld", "withheld"),
                            ("abandoned", "abandoned"),
                        ],
                        default="registered",
                        max_length=10,
                    ),
                ),
                (
                    "outcome",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("assisted", "with human help"),
                            ("invalidated", "invalidated"),
                            ("technical", "technical"),
                        ],
                        max_length=11,
                    ),
                ),
                ("our_fault", models.BooleanField(default=False)),
                ("registered_at", models.DateTimeField()),
                ("closed_at", models.DateTimeField(null=True)),
                ("graded_at", models.DateTimeField(null=True)),
                ("review_until", models.DateTimeField(null=True)),
                ("published_at", models.DateTimeField(null=True)),
                ("deadline_at", models.DateTimeField(null=True)),
                ("trace_sha256", models.CharField(blank=True, db_index=True, max_length=64)),
                (
                    "closing_package",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="closed_run",
                        to="evidence.evidencepackage",
                    ),
                ),
                (
                    "graded_package",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="graded_run",
                        to="evidence.evidencepackage",
                    ),
                ),
                (
                    "operator",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "system_version",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="evidence.systemversion",
                    ),
                ),
                (
                    "variant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="evidence.casevariant",
                    ),
                ),
            ],
            options={
                "verbose_name": "run",
                "verbose_name_plural": "runs",
            },
        ),
        migrations.AddField(
            model_name="requestarrived",
            name="run",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="arrivals", to="evidence.run"
            ),
        ),
        migrations.CreateModel(
            name="Closing",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("answer", models.TextField(blank=True)),
                ("interventions", models.JSONField(default=list)),
                ("knew_catalogue", models.BooleanField()),
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
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="closing", to="evidence.run"
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="RunComment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.TextField()),
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
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="comments",
                        to="evidence.run",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="RunCounter",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("last_sequence", models.PositiveIntegerField(default=0)),
                ("first_request_at", models.DateTimeField(null=True)),
                ("stopped_at", models.DateTimeField(null=True)),
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="counter", to="evidence.run"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RunEvent",
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
                        choices=[
                            ("register", "registered"),
                            ("close", "closed"),
                            ("abandon", "abandoned"),
                            ("assist", "with human help"),
                            ("invalidate", "invalidated"),
                            ("technical", "technical"),
                            ("grade", "graded"),
                            ("review", "under operator's review"),
                            ("publish", "published"),
                            ("withhold", "withheld"),
                            ("fault", "interrupted by the registry's fault"),
                        ],
                        max_length=10,
                    ),
                ),
                ("at", models.DateTimeField()),
                ("reason_es", models.TextField(blank=True)),
                ("reason_en", models.TextField(blank=True)),
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
                    "public_event",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry_site.publicevent",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="events", to="evidence.run"
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="RunToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token_sha256", models.CharField(max_length=64, unique=True)),
                ("label_sha256", models.CharField(max_length=64, unique=True)),
                ("issued_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="token", to="evidence.run"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Series",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.CharField(max_length=40, unique=True)),
                ("rubric_version", models.PositiveIntegerField()),
                ("commitment", models.CharField(max_length=64, unique=True)),
                ("planned_runs", models.PositiveIntegerField()),
                ("last_day", models.DateField()),
                ("closes_at", models.DateTimeField()),
                ("publication_delay", models.PositiveIntegerField()),
                ("review_days", models.PositiveIntegerField(default=5)),
                ("made_at", models.DateTimeField()),
                (
                    "made_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry_site.person",
                    ),
                ),
                (
                    "variant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="series",
                        to="evidence.casevariant",
                    ),
                ),
            ],
            options={
                "verbose_name": "series",
                "verbose_name_plural": "series",
            },
        ),
        migrations.AddField(
            model_name="run",
            name="series",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="runs",
                to="evidence.series",
            ),
        ),
        migrations.CreateModel(
            name="SeriesEvent",
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
                        choices=[
                            ("seal", "sealed"),
                            ("use", "open"),
                            ("close", "closed"),
                            ("reveal", "revealed"),
                            ("leak", "leaked"),
                        ],
                        max_length=6,
                    ),
                ),
                ("at", models.DateTimeField()),
                ("statement_es", models.TextField(blank=True)),
                ("statement_en", models.TextField(blank=True)),
                ("occurred_on", models.DateField(null=True)),
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
                    "public_event",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry_site.publicevent",
                    ),
                ),
                (
                    "series",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="evidence.series",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Target",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100, unique=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("observed_site", "the built-in observed site"),
                            ("upstream", "a site that staff configured"),
                        ],
                        max_length=14,
                    ),
                ),
                ("scheme", models.CharField(blank=True, max_length=5)),
                ("host", models.CharField(blank=True, max_length=253)),
                ("port", models.PositiveIntegerField(null=True)),
                ("made_at", models.DateTimeField()),
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
                "verbose_name": "target",
                "verbose_name_plural": "targets",
            },
        ),
        migrations.AddField(
            model_name="casevariant",
            name="target",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="variants", to="evidence.target"
            ),
        ),
        migrations.CreateModel(
            name="TestCase",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.CharField(max_length=20)),
                ("version", models.PositiveIntegerField()),
                ("title_es", models.CharField(max_length=200)),
                ("title_en", models.CharField(max_length=200)),
                ("assignment", models.TextField()),
                ("language", models.CharField(max_length=20)),
                ("max_requests", models.PositiveIntegerField()),
                ("max_seconds", models.PositiveIntegerField()),
                ("terms_path", models.CharField(max_length=200)),
                ("points", models.JSONField()),
                ("catalogue", models.JSONField()),
                ("document", models.BinaryField()),
                ("sha256", models.CharField(max_length=64)),
                ("published_at", models.DateTimeField()),
                (
                    "published_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry_site.person",
                    ),
                ),
            ],
            options={
                "verbose_name": "test case",
                "verbose_name_plural": "test cases",
            },
        ),
        migrations.AddField(
            model_name="casevariant",
            name="case",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="variants", to="evidence.testcase"
            ),
        ),
        migrations.AddConstraint(
            model_name="operator",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at", None)), fields=("person",), name="a_person_operates_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="operator",
            constraint=models.CheckConstraint(
                condition=models.Q(("ended_by__isnull", True), ("ended_at__isnull", False), _connector="OR"),
                name="only_an_ended_operator_was_ended_by_someone",
            ),
        ),
        migrations.AddConstraint(
            model_name="requestarrived",
            constraint=models.UniqueConstraint(
                fields=("run", "sequence"), name="a_sequence_number_is_used_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="requestarrived",
            constraint=models.CheckConstraint(
                condition=models.Q(("sequence__gte", 1)), name="sequences_begin_with_1"
            ),
        ),
        migrations.AddConstraint(
            model_name="runevent",
            constraint=models.UniqueConstraint(fields=("run", "step"), name="a_run_takes_each_step_once"),
        ),
        migrations.AddConstraint(
            model_name="runevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("step__in", ["withhold", "invalidate"]), _negated=True),
                    models.Q(
                        models.Q(("reason_es", ""), _negated=True), models.Q(("reason_en", ""), _negated=True)
                    ),
                    _connector="OR",
                ),
                name="what_is_withheld_or_invalidated_says_why",
            ),
        ),
        migrations.AddConstraint(
            model_name="runtoken",
            constraint=models.CheckConstraint(
                condition=models.Q(("expires_at__gt", models.F("issued_at"))),
                name="a_run_token_expires_after_it_was_issued",
            ),
        ),
        migrations.AddConstraint(
            model_name="series",
            constraint=models.CheckConstraint(
                condition=models.Q(("planned_runs__gte", 1), ("review_days__gte", 1)),
                name="a_series_plans_runs_and_their_review",
            ),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(fields=["state", "deadline_at"], name="evidence_ru_state_45a735_idx"),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(fields=["system_version", "state"], name="evidence_ru_system__274218_idx"),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("outcome", "technical"),
                    models.Q(
                        ("operator__isnull", False),
                        ("series__isnull", False),
                        ("system_version__isnull", False),
                        models.Q(("operator_name", ""), _negated=True),
                        models.Q(("contact_email", ""), _negated=True),
                        models.Q(("permission", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="an_autonomous_run_names_operator_system_and_series",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ["published", "withheld", "abandoned"]),
                    models.Q(("outcome__in", ["technical", "invalidated"]), ("state", "closed")),
                    ("deadline_at__isnull", False),
                    _connector="OR",
                ),
                name="every_unfinished_run_has_a_deadline",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("closed_at__isnull", True), ("state__in", ["registered", "recording", "abandoned"])
                    ),
                    models.Q(
                        ("closed_at__isnull", False),
                        models.Q(("state__in", ["registered", "recording"]), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="a_closed_run_says_when",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "in_review"), _negated=True),
                    ("review_until__isnull", False),
                    _connector="OR",
                ),
                name="a_run_under_review_says_until_when",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("published_at__isnull", False), ("state", "published")),
                    models.Q(models.Q(("state", "published"), _negated=True), ("published_at__isnull", True)),
                    _connector="OR",
                ),
                name="a_published_run_says_when",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("outcome", "technical"), _negated=True),
                    ("state__in", ["registered", "recording", "closed", "abandoned", "withheld"]),
                    _connector="OR",
                ),
                name="a_technical_run_is_never_graded",
            ),
        ),
        migrations.AddConstraint(
            model_name="seriesevent",
            constraint=models.UniqueConstraint(
                fields=("series", "step"), name="a_series_takes_each_step_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="seriesevent",
            constraint=models.UniqueConstraint(
                condition=models.Q(("step__in", ["reveal", "leak"])),
                fields=("series",),
                name="a_rubric_is_exposed_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="seriesevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("occurred_on__isnull", False), ("step", "leak")),
                    models.Q(models.Q(("step", "leak"), _negated=True), ("occurred_on__isnull", True)),
                    _connector="OR",
                ),
                name="a_leak_of_a_rubric_has_its_day",
            ),
        ),
        migrations.AddConstraint(
            model_name="seriesevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("step", "leak"), _negated=True),
                    models.Q(
                        models.Q(("statement_es", ""), _negated=True),
                        models.Q(("statement_en", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="a_leak_has_a_statement_in_both_languages",
            ),
        ),
        migrations.AddConstraint(
            model_name="target",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("host", ""), ("kind", "observed_site"), ("port__isnull", True), ("scheme", "")),
                    models.Q(
                        ("kind", "upstream"),
                        ("port__gte", 1),
                        ("port__lte", 65535),
                        ("scheme__in", ["http", "https"]),
                        models.Q(("host", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="an_upstream_has_scheme_host_and_port",
            ),
        ),
        migrations.AddConstraint(
            model_name="testcase",
            constraint=models.UniqueConstraint(
                fields=("code", "version"), name="a_case_version_is_published_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="testcase",
            constraint=models.CheckConstraint(
                condition=models.Q(("max_requests__gte", 1), ("max_seconds__gte", 1)),
                name="a_case_has_limits",
            ),
        ),
        migrations.AddConstraint(
            model_name="testcase",
            constraint=models.CheckConstraint(
                condition=models.Q(("assignment__contains", "{start_domain}")),
                name="an_assignment_names_its_start_domain",
            ),
        ),
        migrations.AddConstraint(
            model_name="casevariant",
            constraint=models.UniqueConstraint(
                fields=("case", "start_domain"), name="a_start_domain_is_one_variant"
            ),
        ),
        append_only.refuse_changes("evidence_testcase"),
        append_only.guard_clock("evidence_testcase", column="published_at"),
        append_only.refuse_changes("evidence_target"),
        append_only.guard_clock("evidence_target", column="made_at"),
        append_only.refuse_changes("evidence_casevariant"),
        append_only.guard_clock("evidence_casevariant", column="made_at"),
        append_only.refuse_changes("evidence_series"),
        append_only.guard_clock("evidence_series", column="made_at"),
        append_only.refuse_changes("evidence_seriesevent"),
        append_only.guard_clock("evidence_seriesevent", column="at"),
        append_only.refuse_changes("evidence_requestarrived"),
        append_only.guard_clock("evidence_requestarrived", column="at"),
        append_only.refuse_changes("evidence_responsesent"),
        append_only.guard_clock("evidence_responsesent", column="at"),
        append_only.refuse_changes("evidence_closing"),
        append_only.guard_clock("evidence_closing", column="at"),
        append_only.refuse_changes("evidence_runevent"),
        append_only.guard_clock("evidence_runevent", column="at"),
        append_only.refuse_changes("evidence_runcomment"),
        append_only.guard_clock("evidence_runcomment", column="at"),
    ]
