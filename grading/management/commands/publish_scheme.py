"""Publishes a version of a scheme from its file, or the shipped ones."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from grading import publication, schemes
from registry_site import clock
from registry_site.problems import Refusal


class Command(BaseCommand):
    help = __doc__
    requires_system_checks: list[str] = []

    def add_arguments(self, parser):
        parser.add_argument("file", nargs="?", type=Path)
        parser.add_argument("--shipped", action="store_true", help="the versions that come with the software")

    def handle(self, *args, file, shipped, **options):
        if bool(file) == shipped:
            raise CommandError("Name one scheme file, or --shipped.")
        files = schemes.shipped_files() if shipped else [file]
        for path in files:
            try:
                scheme = publication.publish(path.read_bytes(), at=clock.now())
            except (ValueError, OSError, Refusal) as error:
                raise CommandError(f"{path}: {getattr(error, 'detail', error)}") from error
            self.stdout.write(f"{scheme} {scheme.sha256}")
