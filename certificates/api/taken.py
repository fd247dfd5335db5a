"""What the API takes about certificates: never a status, a hash or a figure."""

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from django.utils.dateparse import parse_date
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from certificates import notices
from certificates.states import Reason, Status
from certificates.words import STATUS
from registry_site.cursors import CursorPagination
from registry_site.taken import Taken, TakenNumber, TakenText, TakenTruth

LONGEST_NUMBER = 100
SHA256 = re.compile(r"[0-9a-f]{64}")
REASONS = [reason.value for reason in Reason]


class InstantOrDay(serializers.DateTimeField):
    """An instant with its offset, or a day: the last one, in the scheme's zone."""

    def to_internal_value(self, value: Any) -> datetime | date:
        if isinstance(value, str) and len(value) == 10:
            try:
                day = parse_date(value)
            except ValueError:
                day = None
            if day is not None:
                return day
        if isinstance(value, str) and not (value.endswith(("Z", "z")) or value[-6:-5] in {"+", "-"}):
            # An instant without offset would be read in the server's zone, which its writer does not know.
            self.fail("invalid", format="YYYY-MM-DD, YYYY-MM-DDThh:mm:ss±hh:mm")
        return super().to_internal_value(value)


class PublicText(Taken):
    """A public text in both languages (rule 4). The Spanish one prevails."""

    es = TakenText(max_length=notices.LONGEST_TEXT)
    en = TakenText(max_length=notices.LONGEST_TEXT)


class Issue(Taken):
    """A certificate to be issued on a measurement."""

    measurement = TakenNumber(min_value=1, max_value=2**63 - 1, help_text=_("Id of the measurement."))
    valid_until = InstantOrDay(
        required=False,
        help_text=_(
            "An instant with offset, or the last day in the scheme's zone; else the scheme's longest term."
        ),
    )
    supersedes = TakenText(
        required=False,
        max_length=LONGEST_NUMBER,
        help_text=_("Number of the certificate of the same version whose place it takes."),
    )
    statement = PublicText()


class Refuse(Taken):
    """A certificate to be refused on a measurement."""

    measurement = TakenNumber(min_value=1, max_value=2**63 - 1)
    reason = serializers.ChoiceField(choices=REASONS, required=False)
    statement = PublicText()


class _Step(Taken):
    statement = PublicText()
    if_sequence = TakenNumber(
        min_value=1,
        max_value=2**31 - 1,
        help_text=_(
            "Sequence of the last event you have seen; another one answers 409 with the present state."
        ),
    )


class _WithConditions(Taken):
    """Conditions are a list; a single one may stand without its brackets."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if isinstance(data, Mapping) and isinstance(data.get("conditions"), Mapping):
            data = {**data, "conditions": [data["conditions"]]}
        return super().to_internal_value(data)


class _MayHaveAReason(_Step):
    reason = serializers.ChoiceField(choices=REASONS, required=False)


class _Sanction(_Step):
    reason = serializers.ChoiceField(choices=REASONS)
    report = TakenText(
        required=False,
        max_length=LONGEST_NUMBER,
        help_text=_("With «report_upheld», and only then: number of the complaint that was upheld."),
    )


class Suspend(_WithConditions, _Sanction):
    """Conditions for lifting it and the day by which it is reviewed are part of a suspension."""

    conditions = PublicText(many=True)
    review_on = serializers.DateField(help_text=_("Last day of the review, in the scheme's zone."))


class Prolong(_WithConditions, _MayHaveAReason):
    """A later review date; conditions stay unless new ones are given."""

    conditions = PublicText(many=True, required=False)
    review_on = serializers.DateField()


class Reinstate(_MayHaveAReason):
    """A suspension is lifted."""


class Revoke(_Sanction):
    """Out of force for good; final when the period to appeal has ended."""


class Terminate(_Step):
    """The holder's own wish: it rests on a stored written request, and a second person decides (rule 6)."""

    reason = serializers.ChoiceField(choices=[Reason.HOLDER_REQUEST.value], required=False)
    request = TakenNumber(min_value=1, max_value=2**63 - 1, help_text=_("Id of the holder's stored request."))


class Supersede(_MayHaveAReason):
    """Another certificate takes its place: of the same version, or at the holder's written request."""

    other = TakenText(
        max_length=LONGEST_NUMBER, help_text=_("Number of the certificate that takes its place.")
    )
    request = TakenNumber(min_value=1, max_value=2**63 - 1, required=False)


class Erratum(_Step):
    """A known defect is published; the status stays."""

    do_not_rely = TakenTruth(help_text=_("True: the page begins with «Do not rely on this certificate»."))
    about = TakenText(
        required=False,
        max_length=LONGEST_NUMBER,
        help_text=_(
            "Number of the notice of this certificate that it corrects; else it is about what was measured."
        ),
    )


STEPS: dict[str, type[Taken]] = {
    "suspend": Suspend,
    "prolong": Prolong,
    "reinstate": Reinstate,
    "revoke": Revoke,
    "terminate": Terminate,
    "supersede": Supersede,
    "erratum": Erratum,
}


class PageQuery(Taken):
    """Keys of every list's query string."""

    cursor = serializers.CharField(
        required=False, max_length=200, help_text=_("Where the page begins: follow «next», do not make one.")
    )
    limit = serializers.IntegerField(
        required=False, min_value=1, max_value=CursorPagination.largest, help_text=_("Rows of one page.")
    )


class CertificateQuery(PageQuery):
    """Filters of the list of certificates."""

    status = serializers.ChoiceField(
        choices=[(status.value, STATUS[status.value]) for status in Status], required=False
    )
    method = serializers.ChoiceField(choices=["hallucination", "agent_run"], required=False)
    group = serializers.CharField(
        required=False, max_length=40, help_text=_("Key of a language group: «es».")
    )
    holder = serializers.IntegerField(
        required=False, min_value=1, max_value=999_999_999, help_text=_("Id of a holder.")
    )
    scheme = serializers.RegexField(
        r"^[A-Z][A-Z0-9]{0,19}-[0-9][0-9.]{0,19}$", required=False, help_text="HALU-1"
    )
    year = serializers.IntegerField(required=False, min_value=1000, max_value=2999)
    q = serializers.CharField(
        required=False, max_length=200, help_text=_("Words of the holder, system or version; or a number.")
    )


FILTERS = ("q", "status", "method", "group", "holder", "scheme", "year")


class StatusQuery(Taken):
    """`as_of` asks what the page said then."""

    as_of = InstantOrDay(required=False, help_text=_("A past instant with offset, or a day (its end)."))
