"""The named refusals of the life cycle, each in words that its reader can act on."""

from http import HTTPStatus
from typing import Any

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from certificates import words
from registry_site.problems import NotAllowed, Refusal


class RuleOfImpartiality(NotAllowed):
    """One of the rules of impartiality forbids this person the step; `rule` is its number."""

    code = "rule_of_impartiality"
    title = _("A rule of impartiality forbids it")


class RegistryNotStaffed(NotAllowed):
    """Rule 4: evaluation, certification and appeals need three distinct people."""

    code = "fewer_than_three_people"
    title = _("Nothing can be issued here")


class NotCertifiable(Refusal):
    """The measurement cannot carry a certificate; `code` says why."""

    code = "not_certifiable"
    title = _("No certificate can be issued on this measurement")


class IncompleteDecision(Refusal):
    """Something that the public must be told is missing or out of range; `field` names it."""

    code = "incomplete_decision"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = _("The decision is not complete")


class ForbiddenStep(Refusal):
    """The table of steps does not allow it now: carries the present state and what led to it."""

    code = "forbidden_transition"
    title = _("The certificate does not allow this step now")


def forbidden_step(step: str, status: str, **extra: Any) -> ForbiddenStep:
    """That `step` cannot follow on `status`, in words."""
    return ForbiddenStep(
        format_lazy(
            _("“{step}” cannot follow: the certificate is {status}."),
            step=words.BUTTON.get(step, step),
            status=words.STATUS[status],
        ),
        step=str(step),
        **extra,
    )


class LostRace(ForbiddenStep):
    """Someone decided first: carries the present state, the step and its time."""

    code = "lost_race"
    title = _("Someone else has just decided")


class NotYetFinal(ForbiddenStep):
    """A revocation cannot become final yet."""

    code = "not_yet_final"
    title = _("The revocation cannot be final yet")


class AppealRefused(Refusal):
    """The appeal does not allow this step now; `state` is where it stands."""

    code = "appeal_out_of_order"
    title = _("The appeal does not allow this step now")


class IncompleteAppeal(IncompleteDecision):
    """Something that an appeal needs is missing or too much; `field` names it."""

    code = "incomplete_appeal"
    title = _("The appeal is not complete")


class RefusedAttachment(IncompleteDecision):
    """A file that came with an appeal or a complaint is too large, of another kind, or one too many."""

    code = "refused_attachment"
    title = _("The attachments cannot be taken")


class NotAppealable(Refusal):
    """That decision cannot be appealed, or was appealed already (`appeal`)."""

    code = "not_appealable"
    title = _("This decision cannot be appealed")


class ApplicationRefused(Refusal):
    """No application can be filed here now, or the one there is does not allow this step; `code` says why."""

    code = "application_out_of_order"
    title = _("The application does not allow this step now")


class ReportRefused(Refusal):
    """The complaint does not allow this step now; `state` is where it stands."""

    code = "report_out_of_order"
    title = _("The complaint does not allow this step now")


class IncompleteReport(IncompleteDecision):
    """Something that a complaint or a reply to one needs is missing or too much; `field` names it."""

    code = "incomplete_report"
    title = _("The complaint is not complete")


class MailRefused(Refusal):
    """An e-mail does not allow this in its present state; `state` tells it."""

    code = "mail_in_another_state"
    title = _("Someone has acted on this e-mail meanwhile, or it is on its way: look at it again.")


class IncompleteNote(Refusal):
    """Whoever settles an e-mail writes how its reader was told."""

    code = "note_needed"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = _("Write how its reader was told, in at most 1,000 characters.")
