"""Invites a person from the server's console: `invite --name NAME --email EMAIL --role registrar`."""

from django.core.management.base import BaseCommand, CommandError, CommandParser

from registry_site import clock, invitations
from registry_site.problems import Refusal
from registry_site.roles import Role


class Command(BaseCommand):
    help = (
        "Send a person the e-mail with which to open an account. A new registry begins with its first registrar, "
        "who invites the others on the site; --role may be given several times, or not at all."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", required=True)
        parser.add_argument("--email", required=True)
        parser.add_argument("--role", action="append", default=[], choices=[role.value for role in Role])
        parser.add_argument(
            "--language", default="es", choices=["es", "en"], help="of the letter and the pages"
        )

    def handle(self, *, name: str, email: str, role: list[str], language: str, **options: object) -> None:
        try:
            invitation = invitations.invite(
                name=name,
                email=email,
                language=language,
                by=None,
                at=clock.now(),
                roles=[Role(one) for one in role],
            )
        except Refusal as refusal:
            raise CommandError(str(refusal.detail)) from None
        self.stdout.write(f"Invited {invitation.email}, until {invitation.expires_at:%Y-%m-%d %H:%M} UTC.")
