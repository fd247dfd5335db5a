"""The page of one decision: the form, its rules with ticks, the public text in both languages, the signature.

The form is posted to the same address twice. The first time it is previewed and nothing is kept; the preview
carries what was written as hidden fields, with a seal over it. Only a sealed form is signed: what is
published was seen in both languages before (rule 4). Nothing is stored in between, so the back button and a
second press do no harm.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from certificates import checklist, refusals, rehearsal, states, words
from certificates.forms import DecisionForm
from certificates.models import Application, Certificate, Notice
from certificates.pending import Pending
from certificates.refusals import LostRace
from certificates.states import Decision, Step
from certificates.views.staff import seals
from certificates.views.staff.desk import Desk, show
from registry_site.problems import Refusal

EFFECTS: dict[str, Any] = {
    Decision.ISSUE: gettext_lazy("Signing it issues a certificate on this measurement, in force at once."),
    Decision.REFUSE: gettext_lazy(
        "Signing it refuses a certificate on this measurement. "
        "The refusal is public, and can be appealed for {days} days."
    ),
    Decision.SUSPEND: gettext_lazy(
        "This decision takes it out of force as soon as you sign it, "
        "and the holder may appeal for {days} days."
    ),
    Decision.PROLONG: gettext_lazy(
        "This decision sets a later review date. It stays suspended, "
        "and the holder may appeal for {days} days."
    ),
    Decision.REINSTATE: gettext_lazy("This decision puts it in force again as soon as you sign it."),
    Decision.REVOKE: gettext_lazy(
        "This decision takes it out of force for good as soon as you sign it. "
        "The holder may appeal for {days} days; only afterwards is it final."
    ),
    Decision.TERMINATE: gettext_lazy("This decision ends it at the holder's request. It is not a sanction."),
    Decision.SUPERSEDE: gettext_lazy("This decision lets another certificate in force take its place."),
    Decision.ERRATUM: gettext_lazy(
        "Signing it publishes a known defect at once: on its page, in the lists and in the API. Its status stays."
    ),
}


@dataclass(frozen=True, slots=True)
class Wording:
    """What the two pages of a step call it: the button, what the preview shows, what signing it does."""

    preview: Any
    before: Any
    heading: Any
    sign: Any
    after: Any


PUBLISHED = Wording(
    preview=gettext_lazy("Preview the public text"),
    before=gettext_lazy("Nothing is published yet: the next page shows the text in both languages."),
    heading=gettext_lazy("This is how it will be published"),
    sign=gettext_lazy("Sign and publish the decision"),
    after=gettext_lazy(
        "It cannot be undone: what follows is a new entry. Your name is recorded; the public sees your role."
    ),
)


@dataclass(slots=True)
class Case:
    """What is decided, on what, and how: the same page serves every decision."""

    decision: str
    system: str
    holder: str
    form: Callable[..., DecisionForm]  # data or None → the form
    take: Callable[..., Any]  # facts of the form → the step, taken
    address: str
    back: str
    back_label: str
    days: int
    zone: ZoneInfo
    refusal: Refusal | None = None
    number: str = ""
    application: Application | None = None  # that the decision answers
    sequence: int = 0
    status: str = ""
    pending: tuple[Pending, ...] = ()  # what is open about the certificate meanwhile
    # A step on an appeal or a complaint: which sheet previews it, and what it says when it is signed.
    effect: Any = None
    sheet: str = "staff/_refusal_sheet.html"
    told: Any = None
    wording: Wording = PUBLISHED
    repeated: Callable[[DecisionForm], str | None] = field(
        default=lambda _form: None
    )  # → address, when it stands already
    # Where it is no step on a certificate: what stands now, and what forbids it now.
    anew: Callable[[], tuple[int, Refusal | None]] | None = None


# ── the page ─────────────────────────────────────────────────────────────────


def answer(request: HttpRequest, desk: Desk, case: Case) -> HttpResponse:
    if request.method == "GET":
        return _show_form(request, desk, case, case.form(None, initial={"if_sequence": case.sequence}))
    form = case.form(request.POST)
    action = request.POST.get("action")
    if not form.is_valid():
        return _show_form(request, desk, case, form, status=422)
    if action == "edit":
        return _show_form(request, desk, case, case.form(None, initial=_as_written(form)))
    at = desk.now.astimezone(UTC)
    sequence = form.cleaned_data["if_sequence"]
    try:
        if action == "sign" and seals.holds(request, _seen(desk, case, form), kind="decision"):
            return _signed(request, case, case.take(at, form.facts(), sequence))
        preview = _preview(case, form, at, sequence)
    except Refusal as told:
        return _refused(request, desk, case, form, told)
    return _show_preview(request, desk, case, form, preview)


def _preview(case: Case, form: DecisionForm, at: datetime, sequence: int) -> dict[str, Any]:
    if case.decision == Decision.REFUSE or case.told:
        return {"notice": rehearsal.of_refusal(lambda: case.take(at, form.facts(), sequence))}
    number, entry, verdict = rehearsal.of_certificate(lambda: case.take(at, form.facts(), sequence), at=at)
    return {"number": number, "entry": entry, "verdict": verdict}


def _signed(request: HttpRequest, case: Case, made: Certificate | Notice) -> HttpResponse:
    if case.told:
        messages.success(request, case.told)
        return HttpResponseRedirect(case.back)
    if isinstance(made, Certificate):
        notice = made.notices.order_by("-pk").first()
        address = reverse("staff:certificate", args=[made.number])
    else:
        notice, address = made, case.back
    told = str(words.STEP[case.decision]).format(n=notice.number)
    messages.success(
        request,
        _("{step}. Decision No. {number} is signed and published.").format(step=told, number=notice.number),
    )
    return HttpResponseRedirect(address)


def _refused(request: HttpRequest, desk: Desk, case: Case, form: DecisionForm, told: Refusal) -> HttpResponse:
    """Whoever came too late, or was forbidden meanwhile, is told so; what was written stays in the form."""
    repeated = case.repeated(form)
    if repeated:
        messages.info(request, _("Your decision stands already: it was not recorded again."))
        return HttpResponseRedirect(repeated)
    named = str(told.extra.get("field", "")).replace(".", "_")
    if named in form.fields:
        form.add_error(named, str(told.detail))
        return _show_form(request, desk, case, form, status=told.status)
    if isinstance(told, LostRace):
        # What was seen is no longer what is: the next attempt is in view of the present state.
        present = told.extra["present"]
        form = _anew(case, form, sequence=present["sequence"])
        case.status, case.sequence = present["status"], present["sequence"]
        if (states.Standing(case.status), Step(case.decision)) not in states.TRANSITIONS:
            case.refusal = refusals.forbidden_step(case.decision, case.status)
    elif case.anew is not None:
        case.sequence, case.refusal = case.anew()
        form = _anew(case, form, sequence=case.sequence)
    form.add_error(None, str(told.detail))
    return _show_form(request, desk, case, form, status=told.status)


def _anew(case: Case, form: DecisionForm, *, sequence: int) -> DecisionForm:
    data = form.data.copy()
    data["if_sequence"] = str(sequence)
    fresh = case.form(data)
    fresh.is_valid()
    return fresh


def _as_written(form: DecisionForm) -> dict[str, Any]:
    written = dict(form.cleaned_data)
    for language in ("es", "en"):
        if f"conditions_{language}" in written:
            written[f"conditions_{language}"] = "\n".join(one[language] for one in written["conditions"])
    return written


def _show_form(
    request: HttpRequest, desk: Desk, case: Case, form: DecisionForm, status: int = 200
) -> HttpResponse:
    return show(
        request,
        desk,
        "decision",
        here="queue",
        case=case,
        form=form,
        effect=_effect(case),
        rules=checklist.ticks(case.decision, case.refusal, complete=False),
        forbidden=case.refusal is not None,
        kept=_texts(form) if case.refusal is not None else [],
        status=status,
    )


def _show_preview(
    request: HttpRequest, desk: Desk, case: Case, form: DecisionForm, preview: dict[str, Any]
) -> HttpResponse:
    return show(
        request,
        desk,
        "decision_preview",
        here="queue",
        case=case,
        form=form,
        written=_written(form),
        seal=seals.put(_seen(desk, case, form), kind="decision"),
        effect=_effect(case),
        rules=checklist.ticks(case.decision, case.refusal, complete=True),
        **preview,
    )


def _effect(case: Case) -> str:
    return str(case.effect or EFFECTS[case.decision]).format(days=case.days)


def _texts(form: DecisionForm) -> list[tuple[Any, str]]:
    """(label, text) of what was written and cannot be signed any more: to be read, and taken along."""
    found = ((field.label, field.data) for field in form if isinstance(field.field.widget, forms.Textarea))
    return [(label, text) for label, text in found if text]


def _written(form: DecisionForm) -> list[tuple[str, str]]:
    """Everything that was posted in the form's own fields, to be posted once more."""
    pairs: list[tuple[str, str]] = []
    for name, one in form.fields.items():
        html_name = form.add_prefix(name)
        if isinstance(one, forms.MultiValueField):
            pairs += [(key, form.data[key]) for key in form.data if key.startswith(f"{html_name}_")]
        elif html_name in form.data:
            pairs.append((html_name, form.data[html_name]))
    return pairs


# ── the seal ─────────────────────────────────────────────────────────────────


def _seen(desk: Desk, case: Case, form: DecisionForm) -> dict[str, Any]:
    """What this person has seen in the preview, and in view of which event."""
    return {
        "decision": case.decision,
        "address": case.address,
        "person": desk.person.pk,
        "if_sequence": form.cleaned_data["if_sequence"],
        "facts": form.facts(),
    }
