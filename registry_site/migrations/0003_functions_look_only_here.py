"""Trigger functions take no temporary table of a session for one of the registry's."""

from django.db import migrations

from registry_site import append_only


class Migration(migrations.Migration):
    dependencies = [("registry_site", "0002_written_once")]

    operations = [
        append_only.look_only_here(
            "registry_refuse_change",
            "registry_refuse_late_child",
            "registry_clock_may_move",
            "registry_guard_clock",
        )
    ]
