"""What became of an e-mail that did not arrive, and until when it names somebody."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry_site", "0004_people"),
    ]

    operations = [
        migrations.AddField(
            model_name="outbox",
            name="erased_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="outbox",
            name="link_sha256",
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddField(
            model_name="outbox",
            name="note",
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name="outbox",
            name="returned_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="outbox",
            name="settled_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="outbox",
            name="settled_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="registry_site.person",
            ),
        ),
        migrations.AlterField(
            model_name="outbox",
            name="recipient",
            field=models.EmailField(blank=True, max_length=254),
        ),
        migrations.AlterField(
            model_name="outbox",
            name="state",
            field=models.CharField(
                choices=[
                    ("queued", "queued"),
                    ("sending", "sending"),
                    ("sent", "sent"),
                    ("failed", "failed"),
                    ("settled", "told otherwise"),
                ],
                default="queued",
                max_length=10,
            ),
        ),
        migrations.AddIndex(
            model_name="outbox",
            index=models.Index(fields=["state", "-id"], name="outbox_state_newest"),
        ),
        migrations.AddIndex(
            model_name="outbox",
            index=models.Index(
                condition=models.Q(("erased_at__isnull", True)),
                fields=["created_at"],
                name="outbox_not_erased",
            ),
        ),
        migrations.AddConstraint(
            model_name="outbox",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("erased_at__isnull", True), models.Q(("recipient", ""), _negated=True)),
                    models.Q(("erased_at__isnull", False), ("error", ""), ("note", ""), ("recipient", "")),
                    _connector="OR",
                ),
                name="a_letter_names_somebody_until_it_is_erased",
            ),
        ),
        migrations.AddConstraint(
            model_name="outbox",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("settled_at__isnull", False),
                        ("settled_by__isnull", False),
                        ("state", "settled"),
                        models.Q(
                            models.Q(("note", ""), _negated=True),
                            ("erased_at__isnull", False),
                            _connector="OR",
                        ),
                    ),
                    models.Q(
                        ("note", ""),
                        ("settled_at__isnull", True),
                        ("settled_by__isnull", True),
                        models.Q(("state", "settled"), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="what_was_told_otherwise_says_who_when_and_how",
            ),
        ),
        migrations.AddConstraint(
            model_name="outbox",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("returned_at__isnull", True), ("state__in", ["failed", "settled"]), _connector="OR"
                ),
                name="a_letter_that_came_back_is_not_called_sent",
            ),
        ),
        migrations.AddConstraint(
            model_name="outbox",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind", "staff.digest")),
                fields=("kind", "concerns"),
                name="one_digest_a_day_a_person",
            ),
        ),
    ]
