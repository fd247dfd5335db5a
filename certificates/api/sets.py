"""Door to a registered question set: its seal and its uses, and no question."""

from django.http import HttpResponseBase
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from certificates import addresses, set_facts
from certificates.api.reading import NotASha256
from certificates.api.shown import ShownText
from certificates.pages import SetPage
from certificates.set_facts import SHA256
from certificates.views.sets import SetNotFound
from grading.api.shown import ShownErratum
from grading.models import SetStep
from grading.sealing import State
from registry_site import clock, site_address
from registry_site.api import Endpoint, moved


class ShownSetEvent(serializers.Serializer):
    """A dated public fact about the set."""

    step = serializers.ChoiceField(choices=SetStep.values)
    at = serializers.DateTimeField()
    occurred_on = serializers.DateField(
        allow_null=True, help_text=_("Of a leak: its day, as far as is known.")
    )
    statement = ShownText(allow_null=True)
    hash = serializers.CharField(help_text=_("SHA-256 of the public event."))


class ShownSetUse(serializers.Serializer):
    """A public measurement on the set. Declared and counted uses may differ: both are told."""

    reference = serializers.CharField()
    system = serializers.CharField()
    version = serializers.CharField()
    holder = serializers.CharField()
    holder_had_access = serializers.ChoiceField(choices=["no", "yes", "unknown"])
    measured_at = serializers.DateTimeField()
    frozen_at = serializers.DateTimeField()
    declared_before = serializers.IntegerField(allow_null=True, help_text=_("Uses before, as declared."))
    counted_before = serializers.IntegerField(allow_null=True, help_text=_("Uses before, in this registry."))
    after_exposure = serializers.BooleanField(help_text=_("Handed in after the set was revealed or leaked."))
    certificates = serializers.ListField(child=serializers.CharField())
    errata = ShownErratum(many=True)


class ShownSet(serializers.Serializer):
    """A question set whose seal is registered. Its questions and their hashes are not here."""

    set_sha256 = serializers.CharField()
    commitment = serializers.CharField(help_text=_("SHA-256 of the salt and the canonical form of the set."))
    name = serializers.CharField()
    custodian = serializers.CharField()
    state = serializers.ChoiceField(choices=[state.value for state in State])
    sealed_at = serializers.DateTimeField()
    first_used_at = serializers.DateTimeField(allow_null=True)
    used_before_seal = serializers.BooleanField(help_text=_("Registered after it was first used."))
    items = serializers.IntegerField()
    by_category = serializers.DictField(child=serializers.IntegerField())
    by_language = serializers.DictField(child=serializers.IntegerField())
    scheme = serializers.CharField()
    salt = serializers.CharField(allow_null=True, help_text=_("Once revealed, in hexadecimal digits."))
    items_address = serializers.CharField(
        allow_null=True, help_text=_("Where the questions are, if published.")
    )
    events = ShownSetEvent(many=True)
    uses = ShownSetUse(many=True, help_text=_("Public ones, newest first."))
    uses_total = serializers.IntegerField(help_text=_("Public or not."))
    address = serializers.CharField(help_text=_("Of the page."))


class OneSet(Endpoint):
    """One registered question set."""

    tag = "sets"
    problems = {"GET": (NotASha256, SetNotFound)}

    @extend_schema(
        operation_id="read_set",
        summary=_("One sealed question set"),
        description=_("By its set hash. While it is sealed nobody is given its questions or their hashes."),
        parameters=[OpenApiParameter("sha256", str, OpenApiParameter.PATH)],
        responses=ShownSet,
    )
    def get(self, request: Request, sha256: str) -> HttpResponseBase:
        digest = sha256.lower()
        if not SHA256.fullmatch(digest):
            raise NotASha256()
        if digest != sha256:
            return moved(request, addresses.set_json(digest))
        page = set_facts.of(digest, at=clock.now())
        if page is None:
            raise SetNotFound()
        return Response(ShownSet(_shown(page)).data)


def _shown(page: SetPage) -> dict:
    return {
        "set_sha256": page.set_sha256,
        "commitment": page.commitment,
        "name": page.name,
        "custodian": page.custodian,
        "state": page.seal.state,
        "sealed_at": page.seal.sealed_at,
        "first_used_at": page.seal.first_used_at,
        "used_before_seal": page.seal.used_before,
        "items": page.items,
        "by_category": dict(page.by_category),
        "by_language": dict(page.by_language),
        "scheme": page.scheme,
        "salt": page.salt,
        "items_address": addresses.set_items(page.set_sha256) if page.items_sha256 else None,
        "events": [
            {
                "step": event.step,
                "at": event.at,
                "occurred_on": event.occurred_on,
                "statement": {"es": event.statement.es, "en": event.statement.en}
                if event.statement
                else None,
                "hash": event.hash,
            }
            for event in page.events
        ],
        "uses": page.uses,
        "uses_total": page.uses_total,
        "address": site_address.stored() + addresses.question_set(page.set_sha256, "es"),
    }
