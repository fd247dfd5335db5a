"""What the seal of a question set keeps from everybody: the evidence that quotes its questions, whoever opened it."""

from collections.abc import Iterable, Sequence
from zoneinfo import ZoneInfo

from certificates import pages
from evidence import descriptor as descriptors
from evidence.models import Member
from grading import custody
from grading.models import Measurement

# All that a package holds beside what quotes questions or their digests.
_OPEN = frozenset({descriptors.PATH, "bagit.txt", "bag-info.txt"})
_KNOWN = "_set_keeps_items"


def covers(measurement: Measurement) -> bool:
    """Whether the set of a measurement is sealed here and its questions are not published. Asked once for each row."""
    known = measurement.__dict__.get(_KNOWN)
    if known is None:
        known = bool(custody.keeping_items([measurement.set_sha256]))
        measurement.__dict__[_KNOWN] = known
    return known


def know(measurement: Measurement, kept: custody.Custody | None) -> None:
    """Spare the question for a row whose set was just read."""
    measurement.__dict__[_KNOWN] = kept is not None and kept.keeps_items


def is_covered(path: str) -> bool:
    """Whether a member may quote a question: records, attachments, and manifests with their digests."""
    return path not in _OPEN


def as_told(members: Iterable[Member], measurement: Measurement) -> Sequence[Member]:
    """The members as the public may see them: of a covered one neither digest nor bytes. They are not saved."""
    members = list(members)
    if covers(measurement):
        for member in members:
            member.sealed = member.sealed or is_covered(member.path)
    return members


def seal_of(kept: custody.Custody, *, zone: ZoneInfo) -> pages.Seal:
    """The seal of a registered set, as pages tell it."""
    exposure = kept.exposure
    return pages.Seal(
        state=kept.state.value,
        sealed_at=kept.sealed_at.astimezone(zone),
        used_before=kept.used_before_seal,
        first_used_at=kept.first_used_at.astimezone(zone) if kept.first_used_at else None,
        exposed_on=(exposure.occurred_on or exposure.at.astimezone(zone).date()) if exposure else None,
        items_published=not kept.keeps_items,
    )


def covered_sets(set_hashes: Iterable[str]) -> frozenset[str]:
    """Of these set hashes those that are under a seal."""
    return custody.keeping_items(set_hashes)
