"""Test cases in the hands of the staff: published, filled in for a start domain, run against a site."""

from datetime import UTC
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from certificates import case_facts, policies, rubric_custody
from certificates.case_forms import CaseForm, TargetForm, VariantForm
from certificates.views.staff import signing
from certificates.views.staff.desk import Desk, show, staff_page
from evidence.case_documents import filled_in
from evidence.models import Target, TestCase
from evidence.observed_site.routes import START_DOMAIN
from registry_site.problems import Refusal


@require_GET
@staff_page
def listed(request: HttpRequest, desk: Desk) -> HttpResponse:
    return show(
        request,
        desk,
        "cases",
        here="cases",
        page=case_facts.cases(at=desk.now),
        targets=Target.objects.order_by("pk"),
        may_write=policies.refusal_to_write_rubrics(desk.user) is None,
    )


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def publish(request: HttpRequest, desk: Desk) -> HttpResponse:
    """A new case, or with `?from=PI-001` a new version of one."""
    former = TestCase.objects.filter(code=request.GET.get("from", "")).order_by("-version").first()

    def form(data: Any) -> CaseForm:
        return CaseForm(data) if data is not None else _empty(former)

    def act(written: CaseForm) -> str:
        case = rubric_custody.publish_case(written.document(), by=desk.user, at=desk.now.astimezone(UTC))
        return reverse("staff:case", args=[case.code, case.version])

    return signing.answer(
        request,
        desk,
        signing.Signing(
            kind="case",
            here="cases",
            form_template="case_form",
            preview_template="case_preview",
            form=form,
            seen=lambda written: written.document(),
            act=act,
            done=_("The case is published. Give it a variant: the start domain that its runs begin at."),
            back=reverse("staff:cases"),
            preview=lambda written: _checked(written),
            refusal=policies.refusal_to_write_rubrics(desk.user),
        ),
    )


def _empty(former: TestCase | None) -> CaseForm:
    if former is None:
        return CaseForm(initial={"version": 1, "language": "es", "max_requests": 40, "max_seconds": 1200})
    return CaseForm(
        points=former.points,
        initial={
            "code": former.code,
            "version": former.version + 1,
            "title_es": former.title_es,
            "title_en": former.title_en,
            "language": former.language,
            "assignment": former.assignment,
            "max_requests": former.max_requests,
            "max_seconds": former.max_seconds,
            "terms": former.terms_path,
            "catalogue": former.catalogue,
        },
    )


def _checked(written: CaseForm) -> dict[str, Any]:
    """What its preview shows; the faults of the document come back to the form. Raises CaseFaulty."""
    document = rubric_custody.checked_case(written.document())
    return {
        "document": document,
        "example": filled_in(document.assignment, start_domain=START_DOMAIN),
        "catalogue": document.catalogue,
    }


@require_GET
@staff_page
def one(request: HttpRequest, desk: Desk, code: str, version: int) -> HttpResponse:
    row = get_object_or_404(TestCase, code=code, version=version)
    may_write = policies.refusal_to_write_rubrics(desk.user) is None
    return show(
        request,
        desk,
        "case",
        here="cases",
        case=row,
        page=case_facts.case(code, at=desk.now, version=version),
        variants=row.variants.select_related("target").order_by("pk"),
        # That a rubric is being written, and by whom, is for those who write them.
        drafts=row.rubric_drafts.select_related("written_by").defer("document").order_by("-changed_at")
        if may_write
        else [],
        may_write=may_write,
    )


@require_http_methods(["GET", "POST"])
@staff_page
def variant(request: HttpRequest, desk: Desk, code: str, version: int) -> HttpResponse:
    case = get_object_or_404(TestCase, code=code, version=version)
    refusal = policies.refusal_to_write_rubrics(desk.user)
    targets = Target.objects.order_by("pk")

    def make(form: VariantForm) -> str:
        rubric_custody.make_variant(case, by=desk.user, at=desk.now.astimezone(UTC), **form.cleaned_data)
        messages.success(request, _("The variant is public, with the hash of its text."))
        return reverse("staff:case", args=[code, version])

    form = VariantForm(request.POST or None, targets=targets)
    return _made(request, desk, "case_variant", form, make, refusal, case=case)


@require_http_methods(["GET", "POST"])
@staff_page
def target(request: HttpRequest, desk: Desk) -> HttpResponse:
    refusal = policies.refusal_to_write_rubrics(desk.user)

    def make(form: TargetForm) -> str:
        rubric_custody.make_target(by=desk.user, at=desk.now.astimezone(UTC), **form.cleaned_data)
        messages.success(request, _("The site can be chosen for a variant."))
        return reverse("staff:cases")

    return _made(request, desk, "case_target", TargetForm(request.POST or None), make, refusal)


def _made(
    request: HttpRequest,
    desk: Desk,
    template: str,
    form: Any,
    make: Any,
    refusal: Refusal | None,
    **context: Any,
) -> HttpResponse:
    if request.method == "POST":
        if refusal is not None:
            raise refusal
        if form.is_valid():
            try:
                return HttpResponseRedirect(make(form))
            except Refusal as told:
                signing.tell(form, told)
    return show(
        request,
        desk,
        template,
        here="cases",
        form=form,
        refusal=refusal,
        status=422 if form.errors else 200,
        **context,
    )
