"""Fills an empty registry with the demonstration, by running real packages through the real pipeline."""

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from certificates.demo import seeding
from registry_site.problems import Refusal


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args, **options):
        if not settings.LOOPBACK:
            raise CommandError(
                f"PUBLIC_URL is {settings.PUBLIC_URL}: demonstration data and accounts are for loopback only."
            )
        users, sign_ins = seeding.people()
        try:
            seeding.tell(users, say=self.stderr.write)
        except Refusal as refusal:
            raise CommandError(f"{refusal.code}: {refusal.detail} {refusal.extra or ''}") from refusal
        seeding.keep_sign_ins(settings.DATA_DIR / "demo-sign-ins.json", sign_ins)
