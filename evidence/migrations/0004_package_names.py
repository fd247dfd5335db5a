"""A package is found by a part of its file name."""

import django.contrib.postgres.indexes
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("evidence", "0003_holder_accounts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name="evidencepackage",
            index=django.contrib.postgres.indexes.GinIndex(
                django.contrib.postgres.indexes.OpClass(
                    django.db.models.functions.text.Upper("filename"), name="gin_trgm_ops"
                ),
                name="package_filename_substring",
            ),
        ),
    ]
