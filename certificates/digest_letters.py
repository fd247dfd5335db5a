"""What the daily e-mail to a member of staff says: which deadlines come, and which have passed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings

from registry_site import outbox, wording
from registry_site.models import Outbox

KIND = "staff.digest"

# By kind of `deadline_sources`, Spanish and English; {name} is a number that the staff know it by.
_WORDS = {
    "suspension_review": ("Suspensión por revisar: {name}", "Suspension to review: {name}"),
    "appeal_admission": ("Apelación por admitir: {name}", "Appeal to admit: {name}"),
    "appeal_decision": ("Apelación por decidir: {name}", "Appeal to decide: {name}"),
    "complaint": (
        "Queja que espera su próximo paso: {name}",
        "Complaint that waits for its next step: {name}",
    ),
    "application": ("Solicitud por responder: {name}", "Application to answer: {name}"),
    "evidence_age": (
        "Medición {name}: pronto su evidencia será demasiado antigua para certificar",
        "Measurement {name}: its evidence will soon be too old to certify",
    ),
}
_SUBJECT = (
    "Plazos del registro: {coming} por cumplirse, {overdue} fuera de plazo",
    "Deadlines of the registry: {coming} coming, {overdue} overdue",
)


@dataclass(frozen=True, slots=True)
class Item:
    """One deadline. `weeks_overdue` counts whole weeks since it passed; None while it lies ahead."""

    source: str
    name: str
    at: datetime
    weeks_overdue: int | None

    @property
    def stage(self) -> list[Any]:
        """What was news when it was told: near, overdue, overdue for another week."""
        return [self.source, self.name, self.at.isoformat(), self.weeks_overdue]

    def stored(self) -> dict[str, Any]:
        overdue = self.weeks_overdue is not None
        return {"source": self.source, "name": self.name, "at": self.at.isoformat(), "overdue": overdue}


def compose(row: Outbox) -> outbox.Letter:
    """The letter as of the morning it was written for."""
    zone = ZoneInfo(settings.REGISTRY_TIME_ZONE)
    told: dict[bool, list[str]] = {False: [], True: []}
    for item in sorted(row.data["items"], key=lambda one: one["at"]):
        words = _WORDS[item["source"]][row.language == "en"].format(name=item["name"])
        until = wording.deadline(datetime.fromisoformat(item["at"]).astimezone(zone), row.language)
        told[item["overdue"]].append(f"{words} — {until}")
    subject = _SUBJECT[row.language == "en"].format(coming=len(told[False]), overdue=len(told[True]))
    facts = {"subject": subject, "coming": told[False], "overdue": told[True]}
    return outbox.Letter("digest", facts, row.data["path"])
