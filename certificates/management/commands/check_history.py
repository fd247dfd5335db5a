"""Replays every history, and every complaint, against its stored state and hashes."""

import json
import sys

from django.core.management.base import BaseCommand

from certificates import replay


class Command(BaseCommand):
    help = (
        "Replay every certificate's history and every complaint against stored state, documents and hashes."
    )

    def add_arguments(self, parser):
        parser.add_argument("--json", action="store_true", help="one JSON document on standard output")

    def handle(self, *, json: bool, **options):
        found = replay.replay()
        if json:
            self.stdout.write(_as_json(found))
        else:
            self.stdout.write(
                f"Replayed: certificates {found.certificates}, events {found.events}, complaints {found.reports}."
            )
            for fault in found.faults:
                place = "state" if fault.sequence is None else f"event {fault.sequence}"
                told = (
                    f": expected {fault.expected}, found {fault.found}"
                    if fault.expected or fault.found
                    else ""
                )
                self.stdout.write(f"{fault.certificate}, {place}: {fault.code}{told}")
            self.stdout.write("No fault." if not found.faults else f"{len(found.faults)} faults.")
        if found.faults:
            sys.exit(1)


def _as_json(found: replay.Replay) -> str:
    return json.dumps(found.as_json(), ensure_ascii=False)
