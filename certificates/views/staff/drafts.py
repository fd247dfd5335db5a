"""Rubrics that are being written: for the eyes of those who evaluate, until another person seals them."""

import hashlib
from datetime import UTC
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from certificates import case_facts, policies, rubric_custody
from certificates.rubric_forms import RubricForm
from certificates.series_forms import SealForm
from certificates.views.staff import signing
from certificates.views.staff.desk import Desk, show, staff_page
from evidence.models import TestCase
from grading import series
from grading.models import RubricDraft
from grading.series import RubricFaulty
from registry_site.problems import Refusal


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def write(request: HttpRequest, desk: Desk, code: str, version: int) -> HttpResponse:
    case = get_object_or_404(TestCase, code=code, version=version)
    return _written(request, desk, case, draft=None)


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def edit(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    draft = _draft(desk, pk)
    return _written(request, desk, draft.case, draft=draft)


def _written(request: HttpRequest, desk: Desk, case: TestCase, *, draft: RubricDraft | None) -> HttpResponse:
    if refusal := policies.refusal_to_write_rubrics(desk.user):
        raise refusal
    at = desk.now.astimezone(UTC)
    if request.method == "GET":
        document = rubric_custody.read_draft(draft, by=desk.user, at=at) if draft else None
        return _form(request, desk, case, draft, RubricForm(case, document=document))
    form = RubricForm(case, data=request.POST)
    again = form.changed(request.POST.get("action", ""))
    if again is not None:
        return _form(request, desk, case, draft, again)
    if form.is_valid():
        try:
            kept = rubric_custody.write(case, form.document(), by=desk.user, at=at, draft=draft)
        except RubricFaulty as told:
            form.tell(told.faults)
        else:
            messages.success(
                request, _("The draft is kept. Another person who evaluates reads it and seals it.")
            )
            return HttpResponseRedirect(reverse("staff:draft", args=[kept.pk]))
    return _form(request, desk, case, draft, form, status=422)


def _form(
    request: HttpRequest,
    desk: Desk,
    case: TestCase,
    draft: RubricDraft | None,
    form: RubricForm,
    *,
    status: int = 200,
) -> HttpResponse:
    back = (
        reverse("staff:draft", args=[draft.pk])
        if draft
        else reverse("staff:case", args=[case.code, case.version])
    )
    return show(
        request,
        desk,
        "rubric_form",
        here="cases",
        case=case,
        draft=draft,
        form=form,
        back=back,
        status=status,
    )


@require_GET
@staff_page
def one(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    draft = _draft(desk, pk)
    document = rubric_custody.read_draft(draft, by=desk.user, at=desk.now.astimezone(UTC))
    return show(
        request,
        desk,
        "draft",
        here="cases",
        draft=draft,
        case=draft.case,
        rubric=case_facts.as_told(document),
        refusal=policies.refusal_to_seal_rubric(desk.user, draft),
    )


@require_POST
@staff_page
def discard(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    draft = _draft(desk, pk)
    address = reverse("staff:case", args=[draft.case.code, draft.case.version])
    rubric_custody.discard(draft, by=desk.user, at=desk.now.astimezone(UTC))
    messages.success(request, _("The draft is discarded."))
    return HttpResponseRedirect(address)


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def seal(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    draft = _draft(desk, pk)
    at = desk.now.astimezone(UTC)

    def act(form: SealForm) -> str:
        row = rubric_custody.seal(draft, by=desk.user, at=at, **form.cleaned_data)
        return reverse("staff:series", args=[row.code])

    def preview(form: SealForm) -> dict[str, Any]:
        document = rubric_custody.read_draft(draft, by=desk.user, at=at)
        return {"rubric": case_facts.as_told(document), "terms": form.cleaned_data}

    return signing.answer(
        request,
        desk,
        signing.Signing(
            kind="series",
            here="cases",
            form_template="series_seal",
            preview_template="series_seal_preview",
            form=lambda data: SealForm(
                data, today=desk.now.date(), variants=draft.case.variants.order_by("pk")
            ),
            # With the bytes of the draft: what somebody changed meanwhile was not read, and is not sealed.
            seen=lambda form: [
                hashlib.sha256(bytes(draft.document)).hexdigest(),
                {name: str(getattr(value, "pk", value)) for name, value in form.cleaned_data.items()},
            ],
            act=act,
            done=_("The rubric is sealed and its commitment is public."),
            back=reverse("staff:draft", args=[pk]),
            preview=preview,
            refusal=policies.refusal_to_seal_rubric(desk.user, draft) or _without_variant(draft),
            context={"draft": draft, "case": draft.case, "version": series.next_version(draft.case)},
        ),
    )


def _without_variant(draft: RubricDraft) -> Refusal | None:
    if draft.case.variants.exists():
        return None
    return series.CannotSeal(_("The case has no variant yet: fill a start domain in first."), field="variant")


def _draft(desk: Desk, pk: int) -> RubricDraft:
    # Asked before it is looked for: whether there is one is nobody else's business.
    if refusal := policies.refusal_to_write_rubrics(desk.user):
        raise refusal
    return get_object_or_404(RubricDraft.objects.select_related("case", "written_by"), pk=pk)
