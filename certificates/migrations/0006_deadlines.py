"""What was told of a coming end: written once."""

import django.db.models.deletion
from django.db import migrations, models

from registry_site import append_only


class Migration(migrations.Migration):
    dependencies = [
        ("certificates", "0005_appeals"),
    ]

    operations = [
        migrations.CreateModel(
            name="ExpiryNotice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("days_before", models.PositiveSmallIntegerField()),
                ("at", models.DateTimeField()),
                (
                    "certificate",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="expiry_notices",
                        to="certificates.certificate",
                    ),
                ),
            ],
            options={
                "verbose_name": "notice of a coming expiry",
                "verbose_name_plural": "notices of coming expiries",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("certificate", "days_before"), name="a_coming_expiry_is_told_once_per_term"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("days_before__in", [60, 30, 7])),
                        name="a_coming_expiry_is_told_on_the_days_named",
                    ),
                ],
            },
        ),
        append_only.refuse_changes("certificates_expirynotice"),
    ]
