"""The collector asks by its SHA-256 whether a body was recorded."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("evidence", "0005_runs"),
    ]

    operations = [
        migrations.AlterField(
            model_name="responsesent",
            name="sha256",
            field=models.CharField(db_index=True, max_length=64),
        ),
    ]
