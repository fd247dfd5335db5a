"""Evidence packages: the list, handing one in, its journey and what was found in it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from certificates import finding_facts, package_facts, pipeline, policies, words, work, work_facts
from certificates.models import SetAside
from certificates.views import keyset
from certificates.views.staff.desk import Desk, show, staff_page
from certificates.work_forms import SetAsideForm
from evidence import intake, upload_handler, verification
from evidence.forms import UploadForm
from evidence.models import EvidencePackage, PackageState
from evidence.models.package import TERMINAL_STATES
from registry_site.problems import Refusal

PAGE_SIZE = 50
MEMBERS_SHOWN = 200


@require_GET
@staff_page
def packages(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Newest first, by keyset: `before` is the last id of the page before."""
    rows = EvidencePackage.objects.select_related("submitter__person", "system_version__system").order_by(
        "-pk"
    )
    state = request.GET.get("state", "")
    if state in PackageState.values:
        rows = rows.filter(state=state)
    kept = {"state": state} if state in PackageState.values else {}
    page = keyset.newest_first(request, rows, size=PAGE_SIZE, kept=kept)
    outcomes = package_facts.outcomes([one.pk for one in page.rows if one.state == PackageState.READY])
    return show(
        request,
        desk,
        "packages",
        here="packages",
        packages=[(one, outcomes.get(one.pk)) for one in page.rows],
        following=page.following,
        state=state,
        states=list(words.PACKAGE.items()),
        may_upload=intake.refusal_to_submit(desk.user) is None,
    )


@csrf_exempt  # not left out: the upload handler checks it before a byte of the file is written
@require_http_methods(["GET", "POST"])
@staff_page
def upload(request: HttpRequest, desk: Desk) -> HttpResponse:
    refusal = intake.refusal_to_submit(desk.user)
    if request.method == "GET" or refusal:
        form = UploadForm()
        return show(
            request,
            desk,
            "upload",
            here="packages",
            form=form,
            refusal=refusal,
            status=403 if request.method == "POST" else 200,
        )
    try:
        received = upload_handler.receive(request, by=desk.user, at=desk.now, csrf=True)
    except Refusal as told:
        return show(
            request, desk, "upload", here="packages", form=_refused(request, told), status=told.status
        )
    pipeline.wake(received.package)
    return HttpResponseRedirect(reverse("staff:package", args=[received.package.pk]))


def _refused(request: HttpRequest, told: Refusal) -> UploadForm:
    """The form again with what was typed, and the refusal in its place. A browser never keeps the file."""
    form = UploadForm({"sha256": getattr(request, "_post", {}).get("sha256", "")})
    form.full_clean()
    if told.code != upload_handler.MalformedUpload.code:  # a form without a file says so in its own words
        form.errors.pop("file", None)
    if not form.errors:
        field = "sha256" if told.code in {"invalid_sha256", "digest_declared_mismatch"} else "file"
        form.add_error(field, str(told.detail))
    return form


@require_GET
@staff_page
def package(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    row = get_object_or_404(
        EvidencePackage.objects.select_related("submitter__person", "system_version__system__holder"), pk=pk
    )
    checked = verification.latest(row)
    return show(
        request,
        desk,
        "package",
        here="packages",
        package=row,
        running=row.state not in TERMINAL_STATES,
        progress=progress_of(row),
        verification=checked,
        findings=finding_facts.of(row, checked, reader=desk.user, language=request.LANGUAGE_CODE)
        if checked
        else None,
        members=list(checked.members.all()[:MEMBERS_SHOWN]) if checked else [],
        measurements=list(row.measurements.select_related("scheme").order_by("pk")),
        outcome=package_facts.outcomes([row.pk]).get(row.pk),
        set_aside=_set_aside(row),
        may_set_aside=row.state == PackageState.REJECTED
        and policies.refusal_to_work_on_evidence(desk.user) is None,
        work=work_facts.of(row, reader=desk.person, at=desk.now),
        refusal_to_restart=pipeline.refusal_to_restart(desk.user, row)
        if row.state == PackageState.FAILED
        else None,
    )


def _set_aside(row: EvidencePackage) -> SetAside | None:
    if row.state != PackageState.REJECTED:
        return None
    return SetAside.objects.select_related("by").filter(package=row).first()


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def set_aside(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    """Take a rejected package out of the queue, with a reason for the staff."""
    row = get_object_or_404(EvidencePackage, pk=pk)
    form = SetAsideForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        work.set_aside(row, reason=form.cleaned_data["reason"], by=desk.user, at=desk.now)
        messages.success(request, _("The package is set aside: it is no longer in the queue."))
        return HttpResponseRedirect(reverse("staff:package", args=[row.pk]))
    return show(
        request,
        desk,
        "set_aside",
        here="packages",
        package=row,
        form=form,
        status=422 if form.errors else 200,
    )


@require_GET
@staff_page
def progress(_request: HttpRequest, _desk: Desk, pk: int) -> HttpResponse:
    """How far it is, for the page that is open: the same words, asked once a second."""
    return JsonResponse(progress_of(get_object_or_404(EvidencePackage, pk=pk)))


def progress_of(row: EvidencePackage) -> dict[str, Any]:
    label = words.word("package", row.state)
    if row.state == PackageState.VERIFYING and row.progress_member:
        label = _("%(state)s: %(member)s") % {"state": label, "member": row.progress_member}
    return {
        "state": row.state,
        "done": row.progress_bytes if row.state != PackageState.RECEIVING else row.received_bytes,
        "total": row.progress_total,
        "members": row.progress_members,
        "label": label[:1].upper() + label[1:],
        "finished": row.state in TERMINAL_STATES,
    }


@require_POST
@staff_page
def restart(_request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    row = get_object_or_404(EvidencePackage, pk=pk)
    pipeline.restart(row, by=desk.user, at=desk.now)
    return HttpResponseRedirect(reverse("staff:package", args=[row.pk]))
