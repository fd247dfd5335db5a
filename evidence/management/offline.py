"""What commands share that read one file and need neither database nor broker."""

import os
import signal
import sys
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evidence.findings import LANGUAGES


class OfflineCommand(BaseCommand):
    """Takes a package, `--json` and `--language`; wrong usage ends with 2, like all that cannot be read."""

    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="evidence package (ZIP)")
        parser.add_argument("--json", action="store_true", help="print the outcome as JSON, alone")
        parser.add_argument("--language", choices=LANGUAGES, default="es", help="of the texts (default: es)")

    def run_from_argv(self, argv: list[str]) -> None:
        """As Django does it, without its last step: closing connections would load all settings for none."""
        self._called_from_command_line = True
        options = vars(self.create_parser(argv[0], argv[1]).parse_args(argv[2:]))
        options.pop("args", None)
        try:
            try:
                self.execute(**options)
            finally:
                # A short answer is still in the buffer, and the reader may have gone before it was written.
                sys.stdout.flush()
        except CommandError as error:
            self.stderr.write(f"{error}")
            sys.exit(error.returncode)
        except BrokenPipeError:
            # Whoever read the beginning has gone, as `head` does: end like any program, without a traceback.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(128 + signal.SIGPIPE)
