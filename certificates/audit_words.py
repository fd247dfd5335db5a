"""The words of the audit log: what each action is called, and where its subject is seen."""

from collections.abc import Callable
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from certificates import addresses
from registry_site import present_language

ACTIONS: dict[str, Promise] = {
    "account.deactivated": _("Account deactivated"),
    "account.reactivated": _("Account opened again"),
    "api_token.made": _("API token made"),
    "api_token.revoked": _("API token revoked"),
    "appeal.admitted": _("Appeal admitted"),
    "appeal.attachment_seen": _("Attachment of an appeal opened"),
    "appeal.contact_seen": _("Contact of an appeal seen"),
    "appeal.decided": _("Appeal decided"),
    "appeal.filed": _("Appeal filed"),
    "appeal.inadmissible": _("Appeal declared inadmissible"),
    "appeal.withdrawn": _("Appeal withdrawn"),
    "application.filed": _("Application filed"),
    "application.inadmissible": _("Application declared inadmissible"),
    "application.invited": _("Holder invited to apply"),
    "application.issued": _("Application answered with a certificate"),
    "application.refused": _("Application answered with a refusal"),
    "application.reopened": _("Application opened again"),
    "application.request_seen": _("Written request of an application seen"),
    "application.withdrawn": _("Application withdrawn"),
    "audit.exported": _("Audit log exported"),
    "calibration.added": _("Blind review added"),
    "case.published": _("Test case published"),
    "case.variant": _("Variant of a test case made"),
    "certificate.erratum": _("Erratum published"),
    "certificate.expire": _("Expiry recorded"),
    "certificate.finalise": _("Revocation recorded as final"),
    "certificate.issue": _("Certificate issued"),
    "certificate.overturn": _("Decision on a certificate overturned"),
    "certificate.prolong": _("Suspension extended"),
    "certificate.reinstate": _("Certificate reinstated"),
    "certificate.revoke": _("Certificate revoked"),
    "certificate.supersede": _("Certificate superseded"),
    "certificate.suspend": _("Certificate suspended"),
    "certificate.terminate": _("Certificate ended at the holder's request"),
    "certificate.vary": _("Decision on a certificate varied"),
    "comparison.restarted": _("Comparison started anew"),
    "contact.change_asked": _("Change of a holder's contact asked"),
    "contact.change_cancelled": _("Change of a holder's contact cancelled"),
    "contact.changed": _("Holder's contact changed"),
    "decision.refused": _("Certificate refused"),
    "holder.confirmed": _("Holder confirmed"),
    "holder.member_ended": _("Link of an account to a holder ended"),
    "holder.member_linked": _("Account linked to a holder"),
    "holder.merged": _("Holder merged"),
    "holder.people_seen": _("People of a holder seen"),
    "interest.declared": _("Interest declared"),
    "interest.ended": _("Interest ended"),
    "interests.listed": _("Declared interests listed"),
    "interests.seen": _("Declared interests of a person seen"),
    "invitation.accepted": _("Invitation accepted"),
    "invitation.cancelled": _("Invitation cancelled"),
    "invitation.made": _("Invitation made"),
    "mail.returned": _("E-mail recorded as returned"),
    "mail.seen": _("E-mail seen"),
    "mail.sent_again": _("E-mail sent again"),
    "mail.settled": _("Undelivered e-mail settled"),
    "operator.admitted": _("Operator admitted"),
    "operator.ended": _("Operator ended"),
    "operators.listed": _("Operators listed"),
    "package.received": _("Evidence package received"),
    "package.set_aside": _("Rejected package set aside"),
    "package.restarted": _("Check of a package started anew"),
    "people.listed": _("People listed"),
    "person.seen": _("Page of a person seen"),
    "recovery.cancelled": _("Removal of a second factor cancelled"),
    "recovery.confirmed": _("Second factor removed"),
    "recovery.opened": _("Removal of a second factor asked"),
    "recovery.seen": _("Case of a second factor seen"),
    "report.attachment_seen": _("Attachment of a complaint opened"),
    "report.closed": _("Complaint closed"),
    "report.contact_seen": _("Contact of a complaint seen"),
    "report.decided": _("Complaint decided"),
    "report.erased": _("Personal data of a complaint erased"),
    "report.in_remit": _("Complaint taken up"),
    "report.out_of_remit": _("Complaint declared outside our remit"),
    "report.received": _("Complaint received"),
    "report.replied": _("Holder's reply to a complaint received"),
    "report.review_asked": _("Review of a complaint asked"),
    "report.with_holder": _("Complaint put to the holder"),
    "request.seen": _("Written request of a holder seen"),
    "request.stored": _("Written request of a holder stored"),
    "review_sheet.viewed": _("Sheet of a blind review handed out"),
    "role.ended": _("Role ended"),
    "role.granted": _("Role given"),
    "rubric.closed": _("Series of runs closed"),
    "rubric.discarded": _("Draft of a rubric discarded"),
    "rubric.leaked": _("Leak of a rubric recorded"),
    "rubric.opened": _("Series of runs opened"),
    "rubric.read": _("Sealed rubric read"),
    "rubric.revealed": _("Rubric revealed"),
    "rubric.sealed": _("Rubric sealed"),
    "rubric.written": _("Draft of a rubric written"),
    "run.assisted": _("Human help in a run recorded"),
    "run.closed": _("Run closed"),
    "run.graded": _("Marks of a run handed to its operator"),
    "run.invalidated": _("Run invalidated"),
    "run.mark_changed": _("Mark of a run changed"),
    "run.marked": _("Point of a run marked"),
    "run.published_by_hand": _("Result of a run published by hand"),
    "run.registered": _("Run registered"),
    "run.rubric_seen": _("Sealed rubric seen while grading a run"),
    "run.secrets_renewed": _("New token of a run made"),
    "run.withheld": _("Result of a run withheld"),
    "set.leaked": _("Leak of a question set recorded"),
    "set.revealed": _("Question set revealed"),
    "set.sealed": _("Question set sealed"),
    "system.confirmed": _("System confirmed"),
    "system.merged": _("System merged"),
    "target.made": _("Site of runs configured"),
    "work.assigned": _("Matter assigned"),
    "work.noted": _("Internal note written"),
    "work.released": _("Matter let go"),
}


def action(code: str) -> str:
    """What an action is called; the code itself for one that the registry writes no longer."""
    return str(ACTIONS.get(code, code))


def _page(name: str) -> Callable[[str], str]:
    def address(identifier: str) -> str:
        try:
            return reverse(f"staff:{name}", args=[identifier])
        except NoReverseMatch:  # an entry of a time when subjects were named otherwise
            return ""

    return address


def _case_page(identifier: str) -> str:
    """«PI-001-1»: code and version."""
    code, _dash, version = identifier.rpartition("-")
    try:
        return reverse("staff:case", args=[code, version])
    except NoReverseMatch:
        return ""


def _no_page(_identifier: str) -> str:
    return ""


# Kind of a subject → its word, and the address of its page.
SUBJECTS: dict[str, tuple[Promise, Callable[[str], str]]] = {
    "account": (_("account"), _no_page),
    "appeal": (_("appeal"), _page("appeal")),
    "application": (_("application"), _page("application")),
    "calibration": (_("blind review"), _no_page),
    "case": (_("test case"), _case_page),
    "certificate": (_("certificate"), _page("certificate")),
    "comparison_request": (_("comparison"), _no_page),
    "holder": (_("holder"), _page("holder")),
    "invitation": (_("invitation"), _no_page),
    "mail": (_("e-mail"), _page("letter")),
    "measurement": (_("measurement"), _page("measurement")),
    "operator": (_("operator"), _no_page),
    "package": (_("evidence package"), _page("package")),
    "person": (_("person"), _page("person")),
    "recovery": (_("second factor"), _page("recovery")),
    "report": (_("complaint"), _page("report")),
    "run": (_("run"), _page("run")),
    "series": (_("series of runs"), _page("series")),
    "set": (_("question set"), lambda digest: addresses.question_set(digest, present_language.code())),
    "system": (_("system"), _page("system")),
    "target": (_("site of runs"), _no_page),
}


def subject(code: str) -> tuple[str, str, str]:
    """(kind in words, identifier, address of its page or nothing) of «kind:identifier»."""
    kind, _colon, identifier = code.partition(":")
    if kind not in SUBJECTS or not identifier:
        return "", code, ""
    word, address = SUBJECTS[kind]
    return str(word), identifier, address(identifier)


def subjects_named(text: str) -> tuple[str, ...]:
    """Every subject that somebody may mean who writes an identifier, or «kind:identifier»."""
    wanted = text.strip()
    if not wanted:
        return ()
    return (
        wanted,
        *(f"{kind}:{one}" for kind in SUBJECTS for one in {wanted, wanted.upper(), wanted.lower()}),
    )


def details(detail: dict[str, Any]) -> list[tuple[str, str]]:
    """What else an entry tells, as names and codes: the same in both languages."""
    return [
        (name, ", ".join(map(str, value)) if isinstance(value, list) else str(value))
        for name, value in sorted(detail.items())
        if value not in (None, "", [])
    ]
