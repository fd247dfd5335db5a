"""The outbox: every e-mail with what became of it, and what is done about one that did not arrive."""

import re
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from certificates import addresses, letter_preview, policies, refusals, undelivered, words
from certificates.mail_forms import ReturnedForm, SettleForm
from certificates.numbers import (
    APPEAL_PATTERN,
    APPLICATION_PATTERN,
    CERTIFICATE_PATTERN,
    NOTICE_PATTERN,
    REPORT_PATTERN,
)
from certificates.views import keyset
from certificates.views.staff.desk import Desk, show, staff_page
from registry_site import audit, present_language
from registry_site.models import Outbox, OutboxState

PAGE_SIZE = 50
# What an e-mail concerns by its number → the page of the staff on it.
_PAGES_BY_NUMBER = (
    (CERTIFICATE_PATTERN, "staff:certificate"),
    (APPEAL_PATTERN, "staff:appeal"),
    (APPLICATION_PATTERN, "staff:application"),
    (REPORT_PATTERN, "staff:report"),
)


@require_GET
@staff_page
def mail(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Newest first, by keyset: `before` is the last id of the page before. No address is shown here."""
    if refusal := policies.refusal_to_read_letters(desk.user):
        raise refusal
    rows = Outbox.objects.filter(policies.letters_for(desk.roles)).defer("data", "recipient").order_by("-pk")
    state = request.GET.get("state", "")
    if state in OutboxState.values:
        rows = rows.filter(state=state)
    kept = {"state": state} if state in OutboxState.values else {}
    page = keyset.newest_first(request, rows, size=PAGE_SIZE, kept=kept)
    return show(
        request,
        desk,
        "mail",
        here="mail",
        letters=[(row, *_about(row.concerns)) for row in page.rows],
        following=page.following,
        state=state,
        states=list(words.MAIL_STATE.items()),
        folder=settings.EMAIL_FILE_PATH if _is_a_folder() else "",
    )


@require_GET
@staff_page
def letter(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    return _page(request, desk, _found(desk, pk))


@require_POST
@staff_page
def again(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    row = _found(desk, pk)
    return _acted(
        request,
        row,
        lambda: undelivered.send_again(row, by=desk.user, at=desk.now),
        _("The e-mail is queued again; it leaves within a minute."),
    )


@require_http_methods(["GET", "POST"])
@staff_page
def returned(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    row, form = _found(desk, pk), ReturnedForm(request.POST)
    if request.method == "GET":
        return HttpResponseRedirect(_address(row))
    if not form.is_valid():
        return _page(request, desk, row, returned_form=form, status=422)
    return _acted(
        request,
        row,
        lambda: undelivered.came_back(row, by=desk.user, at=desk.now, **form.cleaned_data),
        _("It is recorded that the e-mail came back."),
    )


@require_http_methods(["GET", "POST"])
@staff_page
def settle(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    row, form = _found(desk, pk), SettleForm(request.POST)
    if request.method == "GET":
        return HttpResponseRedirect(_address(row))
    if not form.is_valid():
        return _page(request, desk, row, settle_form=form, status=422)
    return _acted(
        request,
        row,
        lambda: undelivered.settle(row, by=desk.user, at=desk.now, **form.cleaned_data),
        _("It is recorded that its reader was told otherwise."),
    )


def _found(desk: Desk, pk: int) -> Outbox:
    row = Outbox.objects.select_related("settled_by").filter(pk=pk).first()
    if row is None:
        raise Http404
    if refusal := policies.refusal_to_read_letter(desk.user, row):
        raise refusal
    return row


def _acted(request: HttpRequest, row: Outbox, act: Callable[[], Outbox], told: str) -> HttpResponseRedirect:
    """To the page of the e-mail; a second press of a button finds it acted on, and is told so."""
    try:
        act()
    except refusals.MailRefused as refused:
        messages.info(request, str(refused.detail))
    else:
        messages.success(request, told)
    return HttpResponseRedirect(_address(row))


def _page(request: HttpRequest, desk: Desk, row: Outbox, *, status: int = 200, **forms: Any) -> HttpResponse:
    # It holds an address and is a person's letter: who looked at it is written down.
    audit.record(
        "mail.seen",
        by=desk.person,
        at=desk.now,
        subject=f"mail:{row.pk}",
        kind=row.kind,
        concerns=row.concerns,
    )
    acts = undelivered.acts_on(row)
    return show(
        request,
        desk,
        "letter",
        here="mail",
        row=row,
        written=letter_preview.of(row),
        about=_about(row.concerns),
        may_send_again=undelivered.send_again in acts,
        settle_form=forms.get("settle_form") or SettleForm() if undelivered.settle in acts else None,
        returned_form=forms.get("returned_form") or ReturnedForm() if undelivered.came_back in acts else None,
        status=status,
    )


def _about(concerns: str) -> tuple[str, str]:
    """(what an e-mail concerns, as its reader knows it, the page of it); empty where there is none."""
    for pattern, name in _PAGES_BY_NUMBER:
        if re.fullmatch(pattern, concerns):
            return concerns, reverse(name, args=[concerns])
    if re.fullmatch(NOTICE_PATTERN, concerns):
        return concerns, addresses.notice(concerns, present_language.code())
    kind, _colon, key = concerns.partition(":")
    if kind == "package":
        return _("Package {number}").format(number=key), reverse("staff:package", args=[key])
    return "", ""


def _address(row: Outbox) -> str:
    return reverse("staff:letter", args=[row.pk])


def _is_a_folder() -> bool:
    return settings.EMAIL_BACKEND.endswith(".filebased.EmailBackend")
