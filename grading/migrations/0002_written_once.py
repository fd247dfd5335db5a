"""Triggers that freeze schemes, measurements and their figures."""

from django.db import migrations

from registry_site import append_only


class Migration(migrations.Migration):
    dependencies = [("grading", "0001_initial")]

    operations = [
        append_only.refuse_changes("grading_scheme"),
        append_only.guard_clock("grading_scheme", column="published_at"),
        append_only.refuse_changes("grading_measurement"),
        append_only.guard_clock("grading_measurement", column="frozen_at"),
        append_only.refuse_changes("grading_figure"),
        append_only.freeze_children("grading_figure", parent="grading_measurement", key="measurement_id"),
    ]
