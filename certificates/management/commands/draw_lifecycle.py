"""Draws the state diagram and the table of steps in docs/lifecycle.md from the table of steps."""

from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from certificates import diagram

PAGE = Path(settings.BASE_DIR) / "docs" / "lifecycle.md"
PARTS = {
    "diagram": lambda: f"```mermaid\n{diagram.mermaid()}```\n",
    "table": diagram.table,
}


def drawn(page: str) -> str:
    """`page` with everything between the marks drawn anew."""
    for name, draw in PARTS.items():
        begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
        before, mark, rest = page.partition(begin)
        _, closing, after = rest.partition(end)
        if not mark or not closing:
            raise CommandError(f"{PAGE.name} has lost its marks «{begin.strip()}» … «{end}».")
        page = f"{before}{begin}{draw()}{end}{after}"
    return page


class Command(BaseCommand):
    help = "Draw the life cycle in docs/lifecycle.md from the table of steps."
    requires_system_checks = ()

    def add_arguments(self, parser):
        parser.add_argument("--check", action="store_true", help="write nothing; fail when the page differs")

    def handle(self, *, check: bool, **options):
        present = PAGE.read_text(encoding="utf-8")
        wanted = drawn(present)
        if wanted == present:
            self.stdout.write("docs/lifecycle.md shows the table of steps as it is.")
            return
        if check:
            raise CommandError(
                "docs/lifecycle.md differs from certificates/states.py. Run: script/manage draw_lifecycle"
            )
        PAGE.write_text(wanted, encoding="utf-8")
        self.stdout.write("docs/lifecycle.md drawn anew.")
