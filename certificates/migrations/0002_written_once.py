"""Triggers that freeze certificates, notices, events and requests, and hold each event to the one before."""

from django.db import migrations

from registry_site import append_only


class Migration(migrations.Migration):
    dependencies = [("certificates", "0001_initial")]

    operations = [
        append_only.refuse_changes("certificates_certificate"),
        append_only.guard_clock("certificates_certificate", column="issued_at"),
        append_only.refuse_changes("certificates_notice"),
        append_only.guard_clock("certificates_notice", column="at"),
        append_only.refuse_changes("certificates_eventdocument"),
        append_only.refuse_changes("certificates_holderrequest"),
        append_only.guard_clock("certificates_holderrequest", column="stored_at"),
        append_only.refuse_changes("certificates_statusevent"),
        append_only.guard_clock("certificates_statusevent", column="at"),
    ]
