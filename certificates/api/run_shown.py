"""What the API shows of a run to whoever operates it: its secrets once, then what has been recorded."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from certificates.api.cases import ShownLimits
from evidence import run_live, runs
from evidence.models import Run
from evidence.models.run import Ending, RunOutcome, RunState
from evidence.runs import HandedOut
from registry_site import leaves

HEADER = "X-Run-Token"
# Of a request that has no answer.
UNANSWERED = ("open", "interrupted")


class ShownRequest(serializers.Serializer):
    """One recorded request, with the start domain in the place of the run's own address."""

    sequence = serializers.IntegerField()
    at = serializers.CharField(help_text=_("Of its arrival, by the database's clock."))
    method = serializers.CharField()
    url = serializers.CharField()
    path = serializers.CharField(help_text=_("Normalised, as patterns are matched."))
    status = serializers.IntegerField(allow_null=True)
    type = serializers.CharField(allow_blank=True)
    size = serializers.IntegerField(allow_null=True)
    sha256 = serializers.CharField(allow_null=True, help_text=_("Of the body as it was sent."))
    beyond_limit = serializers.BooleanField()
    ending = serializers.ChoiceField(choices=[*Ending.values, *UNANSWERED])


class ShownOwnRun(serializers.Serializer):
    """A run as its operator follows it. Neither token nor address: they were shown once."""

    run = serializers.CharField()
    series = serializers.CharField()
    state = serializers.ChoiceField(choices=RunState.values)
    outcome = serializers.ChoiceField(choices=RunOutcome.values, allow_null=True)
    interrupted_by_registry = serializers.BooleanField()
    registered_at = serializers.CharField()
    closes_at = serializers.CharField(allow_null=True, help_text=_("Not closed by then, it is abandoned."))
    closed_at = serializers.CharField(allow_null=True)
    limits = ShownLimits()
    left = ShownLimits(help_text=_("What remains of them now; seconds from the first request on."))
    recorded = serializers.IntegerField()
    evidence_sha256 = serializers.CharField(allow_null=True)
    requests = ShownRequest(many=True)


class ShownRegistered(serializers.Serializer):
    """A registered run with its two secrets, which are shown this once."""

    run = serializers.CharField()
    state = serializers.ChoiceField(choices=RunState.values)
    closes_at = serializers.CharField()
    limits = ShownLimits()
    token = serializers.CharField(
        allow_null=True, help_text=_("Null in a repeated answer: it is kept nowhere.")
    )
    header = serializers.CharField(help_text=_("Name of the header that carries the token."))
    entry = serializers.CharField(
        allow_null=True, help_text=_("Where the agent begins, if it resolves host names of this domain.")
    )
    assignment = serializers.CharField(allow_null=True, help_text=_("The literal text, with «entry» in it."))
    address = serializers.CharField(help_text=_("Where it begins if it sends the header with each request."))
    assignment_with_header = serializers.CharField(help_text=_("The literal text, with «address» in it."))


SECRETS = ("token", "entry", "assignment")


def request(seen: run_live.Seen) -> dict[str, Any]:
    return {
        "sequence": seen.sequence,
        "at": leaves.instant(seen.at),
        "method": seen.method,
        "url": seen.url,
        "path": seen.path,
        "status": seen.status,
        "type": seen.type,
        "size": seen.size,
        "sha256": seen.sha256,
        "beyond_limit": seen.beyond_limit,
        "ending": seen.ending,
    }


def own(live: run_live.Live) -> dict[str, Any]:
    run = live.run
    return {
        "run": run.number,
        "series": run.series.code,
        "state": run.state,
        "outcome": run.outcome or None,
        "interrupted_by_registry": run.our_fault,
        "registered_at": leaves.instant(run.registered_at),
        "closes_at": leaves.instant(run.token.expires_at) if live.is_recording else None,
        "closed_at": leaves.instant(run.closed_at) if run.closed_at else None,
        "limits": _limits(run),
        "left": {"requests": live.left.requests, "seconds": live.left.seconds},
        "recorded": live.requests,
        "evidence_sha256": run.closing_package.sha256 if run.closing_package else None,
        "requests": [request(one) for one in run_live.seen(run)],
    }


def registered(handed: HandedOut) -> dict[str, Any]:
    run, entry = handed.run, runs.entry_of(handed)
    return {
        "run": run.number,
        "state": run.state,
        "closes_at": leaves.instant(run.token.expires_at),
        "limits": _limits(run),
        "token": handed.token,
        "header": HEADER,
        "entry": entry.by_name,
        "assignment": entry.text,
        "address": entry.without_name,
        "assignment_with_header": entry.text_without_name,
    }


def _limits(run: Run) -> dict[str, int]:
    case = run.variant.case
    return {"requests": case.max_requests, "seconds": case.max_seconds}
