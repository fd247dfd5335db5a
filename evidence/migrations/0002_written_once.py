"""Triggers that freeze verifications, their members, and who took part."""

from django.db import migrations

from registry_site import append_only


class Migration(migrations.Migration):
    dependencies = [("evidence", "0001_initial")]

    operations = [
        append_only.refuse_changes("evidence_participation"),
        append_only.guard_clock("evidence_participation", column="at"),
        append_only.refuse_changes("evidence_verification"),
        append_only.guard_clock("evidence_verification", column="at"),
        append_only.refuse_changes("evidence_member"),
        append_only.freeze_children("evidence_member", parent="evidence_verification", key="verification_id"),
    ]
