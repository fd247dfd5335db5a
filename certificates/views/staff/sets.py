"""Question sets in the hands of the staff: registered from a file, shown with their uses, revealed or leaked."""

from collections.abc import Callable
from datetime import UTC
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from certificates import policies, set_custody, set_facts
from certificates.fields import StatementForm
from certificates.set_forms import LeakForm, RegisterSetForm, RevealFilesForm, RevealForm
from certificates.views import keyset
from certificates.views.staff import seals
from certificates.views.staff.desk import Desk, show, staff_page
from certificates.views.staff.small_files import in_memory
from grading import custody, set_commitments
from grading.models import Measurement, QuestionSet
from registry_site.problems import Refusal

PAGE_SIZE = 50


@require_GET
@staff_page
def sets(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Newest first, by keyset: `before` is the last id of the page before."""
    rows = QuestionSet.objects.defer("file", "examples").order_by("-pk")
    page = keyset.newest_first(request, rows, size=PAGE_SIZE)
    return show(
        request,
        desk,
        "sets",
        here="sets",
        sets=custody.of_rows(page.rows),
        following=page.following,
        may_register=policies.refusal_to_seal_set(desk.user) is None,
    )


@in_memory(set_commitments.MAX_BYTES)
@require_http_methods(["GET", "POST"])
@staff_page
def register(request: HttpRequest, desk: Desk) -> HttpResponse:
    refusal = policies.refusal_to_seal_set(desk.user)
    form = RegisterSetForm(request.POST or None, request.FILES or None)
    if request.method == "POST":
        if refusal is not None:
            raise refusal
        form = RegisterSetForm(request.POST, request.FILES)
        if form.is_valid():
            try:
                row = set_custody.seal(
                    form.cleaned_data["file"].read(), by=desk.user, at=desk.now.astimezone(UTC)
                )
            except Refusal as told:
                form.add_error("file", _told(told))
            else:
                messages.success(request, _("The seal is registered and public."))
                return HttpResponseRedirect(reverse("staff:set", args=[row.pk]))
    return show(
        request,
        desk,
        "set_register",
        here="sets",
        form=form,
        refusal=refusal,
        status=422 if form.errors else 200,
    )


@require_GET
@staff_page
def one(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    row = get_object_or_404(QuestionSet.objects.select_related("registered_by"), pk=pk)
    kept = custody.of_row(row)
    uses = list(
        Measurement.objects.filter(set_sha256=row.set_sha256)
        .select_related("system_version__system", "scheme", "set_use")
        .order_by("-pk")[: set_facts.USES_SHOWN]
    )
    return show(
        request,
        desk,
        "set",
        here="sets",
        kept=kept,
        set=row,
        page=set_facts.page_of(kept),
        uses=uses,
        certificates=list(
            set_custody.certificates_on(row.set_sha256).select_related("state").order_by("-pk")[:100]
        ),
        may_reveal=kept.exposure is None and policies.refusal_to_reveal_set(desk.user) is None,
        may_leak=kept.exposure is None and policies.refusal_to_record_leak(desk.user) is None,
    )


@in_memory(custody.MOST_BYTES)
@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def reveal(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    row = get_object_or_404(QuestionSet, pk=pk)

    def act(facts: dict[str, Any], files: dict[str, Any]) -> None:
        set_custody.reveal(
            row,
            by=desk.user,
            at=desk.now.astimezone(UTC),
            items=files["items"].read(),
            salt=files["salt"].read(),
            **facts,
        )

    return _exposure(
        request,
        desk,
        row,
        step="reveal",
        refusal=policies.refusal_to_reveal_set(desk.user),
        form=lambda data, **kw: RevealForm(data, **kw),
        files=lambda data, sent: RevealFilesForm(data, sent),
        act=act,
        done=_("The seal is open: the reveal is public."),
    )


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def leak(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    row = get_object_or_404(QuestionSet, pk=pk)

    def act(facts: dict[str, Any], _files: dict[str, Any]) -> None:
        set_custody.leak(row, by=desk.user, at=desk.now.astimezone(UTC), **facts)

    return _exposure(
        request,
        desk,
        row,
        step="leak",
        refusal=policies.refusal_to_record_leak(desk.user),
        form=lambda data, **kw: LeakForm(data, today=desk.now.date(), **kw),
        files=lambda _data, _sent: forms.Form({}),
        act=act,
        done=_("The leak is public."),
    )


def _exposure(
    request: HttpRequest,
    desk: Desk,
    row: QuestionSet,
    *,
    step: str,
    refusal: Refusal | None,
    form: Callable[..., StatementForm],
    files: Callable[[Any, Any], forms.Form],
    act: Callable[[dict[str, Any], dict[str, Any]], None],
    done: str,
) -> HttpResponse:
    """Written, previewed in both languages, then signed: as every decision, and the files come with the signature."""
    common = {"set": row, "step": step, "address": request.path, "back": reverse("staff:set", args=[row.pk])}

    def answer(template: str, *, status: int = 200, **context: Any) -> HttpResponse:
        return show(request, desk, template, here="sets", status=status, **common, **context)

    if refusal is None and custody.of_row(row).exposure is not None:
        refusal = custody.ForbiddenSetStep()
    if refusal is not None:
        if request.method == "POST":
            raise refusal
        return answer("set_exposure", form=None, refusal=refusal)
    if request.method == "GET":
        return answer("set_exposure", form=form(None))
    written = form(request.POST)
    if not written.is_valid():
        return answer("set_exposure", form=written, status=422)
    action = request.POST.get("action")
    if action == "edit":
        return answer("set_exposure", form=form(None, initial=written.cleaned_data))
    brought = files(request.POST, request.FILES)
    status = 200
    if action == "sign" and seals.holds(request, _seen(desk, row, step, written), kind="set"):
        if brought.is_valid():
            try:
                act(written.facts(), brought.cleaned_data)
            except Refusal as told:
                brought.add_error(None, _told(told))
            else:
                messages.success(request, done)
                return HttpResponseRedirect(common["back"])
        status = 422
    else:
        brought = files(None, None)
    return answer(
        "set_preview",
        form=brought,
        written=_as_posted(written),
        facts=written.facts(),
        seal=seals.put(_seen(desk, row, step, written), kind="set"),
        status=status,
    )


def _as_posted(written: StatementForm) -> list[tuple[str, str]]:
    """What was posted in the form's own fields, to be posted once more; a file that was not chosen is no text."""
    pairs: list[tuple[str, str]] = []
    for name, field in written.fields.items():
        parts = [f"{name}{part}" for part in getattr(field.widget, "widgets_names", [""])]
        pairs += [(part, written.data[part]) for part in parts if part in written.data]
    return pairs


def _seen(desk: Desk, row: QuestionSet, step: str, written: StatementForm) -> list[Any]:
    """What this person has seen in the preview."""
    return [step, row.pk, desk.person.pk, written.facts()]


def _told(refusal: Refusal) -> str:
    if refusal.detail is refusal.title:
        return str(refusal.title) + "."
    return f"{refusal.title}. {refusal.detail}"
