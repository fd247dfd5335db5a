"""Publishes a version of a scheme from its file, or the shipped ones."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from grading import data, publication
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
        if shipped:
            sources = [(path, data.read(path)) for path in data.names("schemes")]
        else:
            sources = [(str(file), self.read(file))]
        for name, content in sources:
            try:
                scheme = publication.publish(content, at=clock.now())
            except (ValueError, Refusal) as error:
                raise CommandError(f"{name}: {getattr(error, 'detail', error)}") from error
            self.stdout.write(f"{scheme} {scheme.sha256}")

    @staticmethod
    def read(file: Path) -> bytes:
        try:
            return file.read_bytes()
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from error
