"""The doors of the staff's own work on a thing: take it, give it, let it go, note something."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from certificates import refusals, work, work_facts, work_subjects
from certificates.views import keyset
from certificates.views.staff.desk import Desk, back_to, show, staff_page
from certificates.work_forms import NoteForm
from certificates.work_subjects import Subject
from registry_site.problems import Refusal


def _found(kind: str, identifier: str) -> tuple[Subject, Any]:
    subject = Subject(kind, identifier)
    thing = work_subjects.find(subject)
    if thing is None:
        raise Http404
    return work_subjects.of(thing), thing


def _page_of(subject: Subject) -> str:
    return work_subjects.KINDS[subject.kind].address(subject.identifier)


def _held_by(request: HttpRequest) -> int | None:
    """Who had it on the page that was pressed."""
    return keyset.key_in(request.POST.get("if_held_by", ""))


@require_POST
@staff_page
def take(request: HttpRequest, desk: Desk, kind: str, identifier: str) -> HttpResponse:
    subject, _thing = _found(kind, identifier)
    work.assign(subject, to=desk.person, by=desk.user, at=desk.now, if_held_by=_held_by(request))
    messages.success(request, _("You have it in hand."))
    return back_to(request, _page_of(subject))


@require_POST
@staff_page
def release(request: HttpRequest, desk: Desk, kind: str, identifier: str) -> HttpResponse:
    subject, _thing = _found(kind, identifier)
    work.release(subject, by=desk.user, at=desk.now)
    messages.success(request, _("Nobody has it in hand now."))
    return back_to(request, _page_of(subject))


@require_http_methods(["GET", "POST"])
@staff_page
def give(request: HttpRequest, desk: Desk, kind: str, identifier: str) -> HttpResponse:
    """Choose a colleague; whom a rule keeps from it is listed with the rule in place of the choice."""
    subject, thing = _found(kind, identifier)
    candidates = work_facts.candidates(subject, thing, at=desk.now)
    told = None
    if request.method == "POST":
        chosen = request.POST.get("person", "")
        to = next((one.person for one in candidates if str(one.person.pk) == chosen), None)
        if to is None:
            told = _("Choose a person.")
        else:
            try:
                work.assign(subject, to=to, by=desk.user, at=desk.now, if_held_by=_held_by(request))
            except Refusal as refused:
                told = str(refused.detail)
            else:
                messages.success(request, _("{person} has it in hand.").format(person=to.name))
                return HttpResponseRedirect(_page_of(subject))
    return show(
        request,
        desk,
        "give",
        here="queue",
        subject=subject,
        named=work_subjects.KINDS[subject.kind].named(thing),
        back=_page_of(subject),
        candidates=candidates,
        assignment=work.held(subject),
        told=told,
        status=422 if told else 200,
    )


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def note(request: HttpRequest, desk: Desk, kind: str, identifier: str) -> HttpResponse:
    subject, thing = _found(kind, identifier)
    if refusal := work.refusal_to_note(subject, thing, by=desk.user, at=desk.now):
        raise refusal
    form = NoteForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            work.note(subject, text=form.cleaned_data["text"], by=desk.user, at=desk.now)
        except refusals.IncompleteDecision as refused:
            form.add_error("text", str(refused.detail))
        else:
            messages.success(request, _("The note is kept."))
            return HttpResponseRedirect(f"{_page_of(subject)}#work")
    return show(
        request,
        desk,
        "note",
        here="queue",
        named=work_subjects.KINDS[subject.kind].named(thing),
        back=_page_of(subject),
        form=form,
        status=422 if form.errors else 200,
    )
