"""The functions that hold events together take no temporary table of a session for one of the registry's."""

from django.db import migrations

from registry_site import append_only


class Migration(migrations.Migration):
    dependencies = [("certificates", "0003_events_follow_each_other")]

    operations = [
        append_only.look_only_here("certificates_follow_last_event", "certificates_state_follows_events")
    ]
