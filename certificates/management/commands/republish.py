"""Renders every public document anew: after a change of templates, words or styles."""

from django.core.management.base import BaseCommand

from certificates import publishing
from certificates.models import Certificate
from registry_site import clock


class Command(BaseCommand):
    help = "Render the public documents of all certificates (or of the numbers given) anew."

    def add_arguments(self, parser):
        parser.add_argument("number", nargs="*", help="canonical numbers; none: all certificates")

    def handle(self, *, number: list[str], **options):
        wanted = Certificate.objects.order_by("pk")
        if number:
            wanted = wanted.filter(number__in=number)
        done = 0
        for certificate in wanted.iterator(chunk_size=200):
            publishing.republish(certificate, at=clock.now())
            done += 1
        self.stdout.write(f"{done} certificates rendered anew.")
