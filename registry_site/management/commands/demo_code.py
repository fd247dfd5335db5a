"""Prints the current second-factor code of a demo account: on loopback no telephone is needed."""

import time

from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from allauth.mfa.utils import decrypt
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from registry_site.models import User

PERIOD = 30
# A code about to lapse would be refused before it is typed: wait for the next one.
TOO_LATE = 2


class Command(BaseCommand):
    help = "Print the current TOTP code of a demo account (on loopback only)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")

    def handle(self, *, email: str, **options) -> None:
        if not settings.LOOPBACK:
            raise CommandError(
                f"PUBLIC_URL is {settings.PUBLIC_URL}: demo accounts sign in on loopback only."
            )
        user = User.objects.filter(email=email.lower()).first()
        if user is None or not user.is_demo:
            known = ", ".join(
                User.objects.filter(is_demo=True).order_by("email").values_list("email", flat=True)
            )
            raise CommandError(f"{email} is not a demo account. Demo accounts: {known or 'none'}.")
        row = Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).first()
        if row is None:
            raise CommandError(f"{email} has no authenticator app set up.")
        left = PERIOD - time.time() % PERIOD
        if left < TOO_LATE:
            time.sleep(left)
        self.stdout.write(
            format_hotp_value(hotp_value(decrypt(row.data["secret"]), int(time.time()) // PERIOD))
        )
