"""What surrounds every public page, and a text in both languages."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One public text in both languages, as it was signed. The Spanish one prevails."""

    es: str
    en: str

    def in_language(self, language: str) -> str:
        """The text for readers of `language`; anything but English reads Spanish."""
        return self.en if language.startswith("en") else self.es


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What surrounds every page: where it lives, which instant it reflects."""

    public_url: str  # «https://registro.example», without a slash at the end
    path: str  # below the language: «», «certificates/», «c/FEH-2026-000042-87/»
    as_of: datetime  # the last change the page reflects (for a live page: the moment of reading)
    query: str = ""  # query string without «?», kept by the link to the other language
    operator: str = ""  # who runs this registry, when a setting says it
    accreditation: Text | None = None  # replaces the clause on not being accredited
    demo: bool = False  # demonstration data: the page says so in its first line
