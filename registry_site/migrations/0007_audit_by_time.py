"""The audit log is read by time."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry_site", "0006_recoveries"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["at", "id"], name="audit_by_time"),
        ),
    ]
