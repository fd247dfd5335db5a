"""Invitations and their links, and cases of a lost second factor."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import registry_site.role_names


class Migration(migrations.Migration):
    dependencies = [
        ("registry_site", "0003_functions_look_only_here"),
    ]

    operations = [
        migrations.CreateModel(
            name="FactorRecovery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.TextField()),
                ("opened_at", models.DateTimeField()),
                ("deadline_at", models.DateTimeField()),
                ("confirmed_at", models.DateTimeField(null=True)),
                ("blocked_until", models.DateTimeField(null=True)),
                ("cancelled_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("email", models.EmailField(max_length=254)),
                ("language", models.CharField(default="es", max_length=2)),
                (
                    "roles",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(
                            choices=[
                                (registry_site.role_names.Role["EVALUATOR"], "evaluation"),
                                (registry_site.role_names.Role["CERTIFIER"], "certification decision"),
                                (registry_site.role_names.Role["APPEALS_OFFICER"], "appeals"),
                                (registry_site.role_names.Role["REGISTRAR"], "registry"),
                            ],
                            max_length=20,
                        ),
                        blank=True,
                        default=list,
                        size=None,
                    ),
                ),
                ("invited_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(null=True)),
                ("cancelled_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="InvitationLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="user",
            name="sessions_ended_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddConstraint(
            model_name="rolegrant",
            constraint=models.CheckConstraint(
                condition=models.Q(("ended_by__isnull", True), ("ended_at__isnull", False), _connector="OR"),
                name="only_an_ended_role_names_who_ended_it",
            ),
        ),
        migrations.AddField(
            model_name="factorrecovery",
            name="account",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="factor_recoveries",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="factorrecovery",
            name="cancelled_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="registry_site.person",
            ),
        ),
        migrations.AddField(
            model_name="factorrecovery",
            name="confirmed_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="registry_site.person",
            ),
        ),
        migrations.AddField(
            model_name="factorrecovery",
            name="opened_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="registry_site.person",
            ),
        ),
        migrations.AddField(
            model_name="factorrecovery",
            name="person",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="factor_recoveries",
                to="registry_site.person",
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="account",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="invitation",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="cancelled_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="registry_site.person",
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="invited_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="registry_site.person",
            ),
        ),
        migrations.AddField(
            model_name="invitationlink",
            name="invitation",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="links",
                to="registry_site.invitation",
            ),
        ),
        migrations.AddIndex(
            model_name="factorrecovery",
            index=models.Index(fields=["person", "blocked_until"], name="recovery_blocks_until"),
        ),
        migrations.AddConstraint(
            model_name="factorrecovery",
            constraint=models.CheckConstraint(
                condition=models.Q(("reason", ""), _negated=True), name="a_recovery_says_why_it_is_needed"
            ),
        ),
        migrations.AddConstraint(
            model_name="factorrecovery",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("opened_by__isnull", True),
                        models.Q(("opened_by", models.F("person")), _negated=True),
                        _connector="OR",
                    ),
                    models.Q(
                        ("confirmed_by__isnull", True),
                        models.Q(("confirmed_by", models.F("person")), _negated=True),
                        _connector="OR",
                    ),
                ),
                name="nobody_recovers_the_own_second_factor",
            ),
        ),
        migrations.AddConstraint(
            model_name="factorrecovery",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("confirmed_at__isnull", True), ("confirmed_by__isnull", True)),
                    models.Q(
                        ("confirmed_at__isnull", False),
                        ("confirmed_by__isnull", True),
                        ("opened_by__isnull", True),
                    ),
                    models.Q(
                        ("confirmed_at__isnull", False),
                        ("confirmed_by__isnull", False),
                        ("opened_by__isnull", False),
                        models.Q(("opened_by", models.F("confirmed_by")), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="a_recovery_takes_two_registrars_or_the_console",
            ),
        ),
        migrations.AddConstraint(
            model_name="factorrecovery",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("blocked_until__isnull", True), ("confirmed_at__isnull", True)),
                    models.Q(
                        ("blocked_until__gt", models.F("confirmed_at")), ("confirmed_at__isnull", False)
                    ),
                    _connector="OR",
                ),
                name="a_confirmed_recovery_blocks_decisions_for_a_while",
            ),
        ),
        migrations.AddConstraint(
            model_name="factorrecovery",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("confirmed_at__isnull", True), ("cancelled_at__isnull", True), _connector="OR"
                ),
                name="a_recovery_ends_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="factorrecovery",
            constraint=models.UniqueConstraint(
                condition=models.Q(("cancelled_at", None), ("confirmed_at", None)),
                fields=("account",),
                name="one_recovery_at_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("accepted_at__isnull", True), ("account__isnull", True)),
                    models.Q(("accepted_at__isnull", False), ("account__isnull", False)),
                    _connector="OR",
                ),
                name="an_accepted_invitation_has_its_account",
            ),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("accepted_at__isnull", True), ("cancelled_at__isnull", True), _connector="OR"
                ),
                name="an_invitation_ends_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.UniqueConstraint(
                condition=models.Q(("accepted_at", None), ("cancelled_at", None)),
                fields=("email",),
                name="an_address_is_invited_once_at_a_time",
            ),
        ),
    ]
