"""Until when somebody decides nothing after a second factor was removed."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry_site", "0005_mail"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="factorrecovery",
            name="a_confirmed_recovery_blocks_decisions_for_a_while",
        ),
        migrations.AddField(
            model_name="person",
            name="decides_again_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddConstraint(
            model_name="factorrecovery",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("blocked_until__isnull", True), ("confirmed_at__isnull", True)),
                    models.Q(
                        ("blocked_until__gt", models.F("confirmed_at")),
                        ("blocked_until__isnull", False),
                        ("confirmed_at__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="a_confirmed_recovery_blocks_decisions_for_a_while",
            ),
        ),
    ]
