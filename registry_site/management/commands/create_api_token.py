"""Prints a new API token: `create_api_token --user EMAIL --role ROLE`."""

from datetime import timedelta

from django.core.management.base import BaseCommand, CommandError, CommandParser

from registry_site import clock, tokens
from registry_site.models import User
from registry_site.problems import Refusal
from registry_site.roles import Role


class Command(BaseCommand):
    help = (
        "Print a token for the API (Authorization: Bearer …). It acts in one role that the person holds; a "
        "service account's reads and hands in evidence. It is shown this once: only its hash is kept."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--user", required=True, metavar="EMAIL", help="account that the token belongs to"
        )
        parser.add_argument("--role", required=True, choices=[role.value for role in Role])
        parser.add_argument("--label", default="", help="what it is for, to tell it from others")
        parser.add_argument("--days", type=int, default=tokens.LIFETIME.days, help="until it expires (90)")

    def handle(self, *, user: str, role: str, label: str, days: int, **options: object) -> None:
        account = User.objects.select_related("person").filter(email__iexact=user, is_active=True).first()
        if account is None:
            raise CommandError(f"There is no active account {user}.")
        if not 1 <= days <= 366:
            raise CommandError(f"A token lives from 1 to 366 days, not {days}.")
        try:
            token = tokens.grant(
                account, role=Role(role), label=label, at=clock.now(), lifetime=timedelta(days=days)
            )
        except Refusal as refusal:
            raise CommandError(str(refusal.detail)) from None
        self.stderr.write(f"For {account}, acting as {role}, for {days} days. It is not shown again.")
        self.stdout.write(token)
