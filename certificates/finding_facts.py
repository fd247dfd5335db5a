"""The findings of a package's check as one reader may see them, in words: for the staff and for the holder."""

from typing import Any

from certificates import visibility
from evidence import findings
from evidence.models import EvidencePackage, Verification

# Findings are capped at 100 per code already; a page stays readable on top of that.
FINDINGS_SHOWN = 300


def of(package: EvidencePackage, checked: Verification, *, reader: Any, language: str) -> dict[str, Any]:
    """Findings as the reader's language tells them, with the count of those that are not listed."""
    name = package.filename or "package.zip"
    found, warned = visibility.findings_for(reader, checked)

    def told(stored: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [findings.told(one, language=language, package=name) for one in stored[:FINDINGS_SHOWN]]

    listed = told(found)
    return {
        "listed": listed,
        "beyond": checked.findings_total - len(listed),
        "count": checked.findings_total,
        "warnings": told(warned),
    }
