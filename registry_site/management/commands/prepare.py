"""Sets a registry up or brings it up to date: tables, rights, address, catalogues, static files, schemes."""

import hashlib
import os
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction

from registry_site import catalogues, database_rights, site_address


def _fingerprint(*folders: Path) -> str:
    """A digest of names, sizes and dates: enough to know that static files need no collecting."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            stat = path.stat()
            digest.update(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()


class Command(BaseCommand):
    help = __doc__
    requires_system_checks: list[str] = []

    def add_arguments(self, parser):
        parser.add_argument("--no-static", action="store_true", help="leave static files alone")

    def handle(self, *args, **options):
        if not settings.OWNER_COMMAND:
            raise CommandError("prepare runs as the owner of the database: script/manage prepare")
        self.say("database tables")
        call_command("migrate", interactive=False, verbosity=0)
        self.say("database rights")
        with transaction.atomic():
            given = [os.environ.get(name, "") for name in ("DATABASE_APP_URL", "DATABASE_READER_URL")]
            if all(given):
                app, reader = (database_rights.role_of(url) for url in given)
            else:
                database_rights.make_roles(
                    settings.DATA_DIR / "database-roles.json", os.environ.get("DATABASE_URL", "")
                )
                app, reader = database_rights.names()
            database_rights.grant(app=app, reader=reader)
        if settings.CLOCK_MAY_MOVE:
            with connection.cursor() as cursor:
                name = connection.ops.quote_name(connection.settings_dict["NAME"])
                cursor.execute(f"ALTER DATABASE {name} SET fehaciente.clock_may_move = 'on'")
        self.say(site_address.fix())
        catalogues.compile_catalogues()
        if not options["no_static"]:
            self.collect_static()
        self.say("published schemes")
        call_command("publish_scheme", "--shipped", verbosity=0)

    def say(self, line: str) -> None:
        self.stderr.write(line)

    def collect_static(self) -> None:
        # Compressing with brotli costs seconds: done only when a file changed.
        stamp = settings.DATA_DIR / "static.stamp"
        present = _fingerprint(settings.BASE_DIR / "static")
        if stamp.is_file() and stamp.read_text() == present and settings.STATIC_ROOT.is_dir():
            return
        self.say("static files")
        # The API answers in JSON only: the assets of its browsable pages are never asked for.
        call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["rest_framework"])
        stamp.write_text(present)
