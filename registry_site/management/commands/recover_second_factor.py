"""Removes a lost second factor from the server's console: `recover_second_factor --user EMAIL --reason TEXT`."""

from django.core.management.base import BaseCommand, CommandError, CommandParser

from registry_site import clock, recoveries
from registry_site.models import User
from registry_site.problems import Refusal


class Command(BaseCommand):
    help = (
        "Remove the second factor of an account whose owner has lost it. The owner and all registrars are told by "
        "e-mail, its sessions and tokens end, and its person decides nothing for 24 hours. Two registrars can do "
        "the same on the site."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--user", required=True, metavar="EMAIL")
        parser.add_argument(
            "--reason", required=True, help="how you know who asks for it; kept with the case"
        )

    def handle(self, *, user: str, reason: str, **options: object) -> None:
        account = User.objects.select_related("person").filter(email__iexact=user).first()
        if account is None:
            raise CommandError(f"There is no account {user}.")
        try:
            case = recoveries.on_console(account, at=clock.now(), reason=reason)
        except Refusal as refusal:
            raise CommandError(str(refusal.detail)) from None
        self.stdout.write(
            f"Removed. {account.email} sets up another at the next sign-in, and decides nothing until "
            f"{case.blocked_until:%Y-%m-%d %H:%M} UTC."
        )
