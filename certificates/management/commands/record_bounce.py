"""Records that an e-mail came back: `record_bounce MESSAGE_ID`, or `record_bounce -` with the report piped in."""

import sys

from django.core.management.base import BaseCommand, CommandError, CommandParser

from certificates import undelivered
from registry_site import bounces, clock
from registry_site.models import Outbox
from registry_site.problems import Refusal


class Command(BaseCommand):
    help = (
        "Record that an e-mail of the registry came back. It is then shown to the staff as not delivered, and a "
        "revocation that it tells of does not become final. Named by its Message-ID, or, with «-», by the delivery "
        "report (RFC 3464) on standard input, as a mail server pipes it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("message_id", help="<kind.number@host>, or - to read a delivery report")
        parser.add_argument("--diagnosis", default="", help="what the mail server said")

    def handle(self, *, message_id: str, diagnosis: str, **options: object) -> None:
        if message_id == "-":
            bounce = bounces.read(sys.stdin.buffer.read(bounces.LONGEST))
            if bounce is None:
                self.stdout.write("Not a report of an e-mail of this registry that failed: nothing recorded.")
                return
        else:
            number = bounces.row_of(message_id)
            if number is None:
                raise CommandError(f"Not the Message-ID of an e-mail of this registry: {message_id}")
            bounce = bounces.Bounce(number, diagnosis)
        row = Outbox.objects.filter(pk=bounce.row).first()
        if row is None:
            raise CommandError(f"There is no e-mail number {bounce.row}.")
        try:
            undelivered.came_back(row, by=None, at=clock.now(), diagnosis=bounce.diagnosis)
        except Refusal as refusal:
            raise CommandError(str(refusal.detail)) from None
        self.stdout.write(f"E-mail {row.pk} ({row.kind}) is recorded as not delivered.")
