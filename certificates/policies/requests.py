"""Who may store what a holder asks for in writing, and who may act on it (rule 6)."""

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from certificates.models import AppealEvent, Certificate, HolderRequest, Notice
from certificates.policies import bonds, persons, subjects
from certificates.refusals import IncompleteDecision, RuleOfImpartiality
from registry_site import roles
from registry_site.models import User
from registry_site.problems import Refusal


def refusal_to_store_request(user: User, about: Certificate | Notice, *, at: datetime) -> Refusal | None:
    """Anyone with a staff role but the registrar's, and no interest in the holder, may store a request."""
    holder = subjects.holder_of(about) if isinstance(about, Notice) else about.system_version.system.holder
    return persons.refusal_without_role(user, roles.DECIDING_ROLES) or bonds.refusal_for_interest(
        user, holder, at
    )


def refusal_of_request(
    user: User, certificate: Certificate, request: HolderRequest, *, kind: str
) -> Refusal | None:
    """Whether this stored request carries this step, decided by this person."""
    if request.certificate_id != certificate.pk or request.kind != kind:
        return request_does_not_fit()
    return refusal_of_used_request(request) or refusal_to_whoever_stored(user, request)


def request_does_not_fit() -> Refusal:
    return IncompleteDecision(
        _("That request is about another certificate or another step."),
        code="request_does_not_fit",
        field="request",
    )


def refusal_of_used_request(request: HolderRequest) -> Refusal | None:
    if not request.notices.exists() and not AppealEvent.objects.filter(request=request).exists():
        return None
    return IncompleteDecision(
        _("That request has already been acted on."), code="request_already_used", field="request"
    )


def refusal_to_whoever_stored(user: User, request: HolderRequest) -> Refusal | None:
    person = roles.person_of(user)
    if person is not None and request.stored_by_id == person.pk:
        return RuleOfImpartiality(
            _("Whoever stored the holder's request does not act on it (rule 6): a second person decides."),
            code="second_person_needed",
            rule=6,
        )
    return None
