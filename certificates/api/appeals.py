"""Doors to appeals: what the public is told of one, and the steps that someone who was not involved takes on it."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from certificates import appeal_facts, appeal_rows, appeals, policies, refusals
from certificates.api import shown
from certificates.api.taken import REASONS, PublicText
from certificates.appeal_states import AppealOutcome, AppealStep, Effect, Inadmissibility
from certificates.models import Appeal, AppealEvent
from registry_site import bearer, clock
from registry_site.api import Endpoint
from registry_site.problems import Refusal
from registry_site.roles import Role
from registry_site.taken import Taken, take

NUMBER = OpenApiParameter(
    "number", str, OpenApiParameter.PATH, description=_("Number of an appeal: AP-2026-000014.")
)
TEXT = {"es": "El texto ya no estaba en el sitio.", "en": "The text was no longer on the site."}


class AppealNotFound(Refusal):
    """No appeal has that number."""

    code = "appeal_not_found"
    status = HTTPStatus.NOT_FOUND
    title = _("There is no appeal with that number")


class Admit(Taken):
    """An appeal is taken up, with a public summary of its grounds."""

    summary = PublicText()


class DeclareInadmissible(Taken):
    """An appeal is not taken up; the decision stands."""

    reason = serializers.ChoiceField(choices=[one.value for one in Inadmissibility])
    reasons = PublicText()


class Decide(Taken):
    """An appeal is upheld, upheld in part with its effect, or dismissed."""

    outcome = serializers.ChoiceField(choices=[one.value for one in AppealOutcome])
    effect = serializers.ChoiceField(
        choices=[one.value for one in Effect], required=False, help_text=_("Of what is upheld in part.")
    )
    reasons = PublicText()
    amended = PublicText(required=False, help_text=_("With «amend»: how the statement reads from now on."))
    reason = serializers.ChoiceField(choices=REASONS, required=False, help_text=_("With «vary»."))
    conditions = PublicText(many=True, required=False, help_text=_("With «vary»."))
    review_on = serializers.DateField(required=False, help_text=_("With «vary»."))


def _found(number: str) -> Appeal:
    appeal = appeal_rows.find(number)
    if appeal is None:
        raise AppealNotFound()
    return appeal


def _answer(appeal: Appeal) -> Response:
    told = appeal_facts.of_appeal(appeal, at=clock.now(), zone=appeal_rows.zone_of(appeal))
    return Response(shown.ShownAppeal(told).data)


class OneAppeal(Endpoint):
    """An appeal as the public reads it."""

    tag = "certificates"
    problems = {"GET": (AppealNotFound,)}

    @extend_schema(
        operation_id="appeal",
        summary=_("One appeal"),
        parameters=[NUMBER],
        responses={200: shown.ShownAppeal},
    )
    def get(self, request: Request, number: str) -> Response:
        return _answer(_found(number))


class _StepOnAppeal(Endpoint):
    tag = "decisions"
    body: type[Taken]
    act: Callable[..., AppealEvent]
    problems = {
        "POST": (
            AppealNotFound,
            refusals.AppealRefused,
            refusals.RuleOfImpartiality,
            refusals.IncompleteDecision,
            refusals.ForbiddenStep,
            bearer.ServiceAccount,
        )
    }

    def post(self, request: Request, number: str) -> Response:
        held = getattr(request.auth, "role", None)
        user = bearer.require_role(request, Role(held) if held else Role.APPEALS_OFFICER)
        appeal = _found(number)
        # Whoever was involved reads the rule, and not a lack of role; then the token's own role is asked.
        if refusal := policies.refusal_to_decide_appeal(user, appeal, at=clock.now()):
            raise refusal
        bearer.require_role(request, Role.APPEALS_OFFICER)
        values = take(self.body, request.data)
        type(self).act(appeal, by=user, at=clock.now(), **values)
        return _answer(appeal)


def _door(
    step: AppealStep, body: type[Taken], act: Any, summary: Any, example: dict[str, Any]
) -> type[_StepOnAppeal]:
    @extend_schema(
        operation_id=f"{step}_appeal",
        summary=summary,
        description=_(
            "By someone with the role for appeals who took part neither in the evaluation nor in any decision it "
            "concerns (rule 2)."
        ),
        parameters=[NUMBER],
        request=body,
        responses={200: shown.ShownAppeal},
        examples=[OpenApiExample(str(step), value=example, request_only=True)],
    )
    def post(self: _StepOnAppeal, request: Request, number: str) -> Response:
        return _StepOnAppeal.post(self, request, number)

    members = {"__doc__": body.__doc__, "body": body, "act": staticmethod(act), "post": post}
    return type(f"{body.__name__}Appeal", (_StepOnAppeal,), members)


AdmitAppeal = _door(AppealStep.ADMIT, Admit, appeals.admit, _("Admit an appeal"), {"summary": TEXT})
DeclareAppealInadmissible = _door(
    AppealStep.DECLARE_INADMISSIBLE,
    DeclareInadmissible,
    appeals.declare_inadmissible,
    _("Declare an appeal inadmissible"),
    {"reason": "without_grounds", "reasons": TEXT},
)
DecideAppeal = _door(
    AppealStep.DECIDE, Decide, appeals.decide, _("Decide an appeal"), {"outcome": "upheld", "reasons": TEXT}
)
