"""Extensions, the shared trigger functions, and the triggers of the frame's written-once tables."""

from django.contrib.postgres.operations import TrigramExtension, UnaccentExtension
from django.db import migrations

from registry_site import append_only


class Migration(migrations.Migration):
    dependencies = [("registry_site", "0001_initial")]

    operations = [
        TrigramExtension(),
        UnaccentExtension(),
        append_only.install_functions(),
        append_only.refuse_changes("registry_site_auditentry"),
        append_only.guard_clock("registry_site_auditentry", column="at"),
        append_only.refuse_changes("registry_site_publicevent"),
        append_only.guard_clock("registry_site_publicevent", column="at"),
    ]
