"""Names the form that a complaint came by, so that the same form sends it once."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("certificates", "0010_work")]

    operations = [
        migrations.AddField(
            model_name="reportdraft",
            name="once",
            field=models.CharField(max_length=32, null=True, unique=True),
        ),
    ]
