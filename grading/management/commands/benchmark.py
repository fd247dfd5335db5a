"""Measures a system's hallucinations over HTTP, offline: validate, run, report, compare, kappa and their neighbours."""

import argparse
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from grading.harness import commands


class Command(BaseCommand):
    help = __doc__
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("arguments", nargs=argparse.REMAINDER)

    def run_from_argv(self, argv: list[str]) -> None:
        """All arguments are the client's own, --help too: no setting, table or connection is needed for them."""
        sys.exit(commands.main(argv[2:]))

    def handle(self, *args: Any, arguments: list[str], **options: Any) -> None:
        status = commands.main(arguments, out=self.stdout, err=self.stderr)
        if status:
            raise SystemExit(status)
