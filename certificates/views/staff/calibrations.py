"""The blind review of a measurement: its sheet handed out, filled sheets taken in, previewed, and added.

Sent twice like a decision: the first time the sheets are read and shown, and nothing is kept; what they say, without
names and ids, travels in a sealed field to the second time. A browser keeps no file, so whoever corrects a sheet
chooses it anew; what was typed stays.
"""

from typing import Any

from django import forms
from django.contrib import messages
from django.core import signing
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy
from django.views.decorators.http import require_GET, require_http_methods

from certificates import calibrating, calibration_facts, measured, names, policies
from certificates.calibrating import File, Preview, SheetsRefused
from certificates.views import answers
from certificates.views.staff import seals
from certificates.views.staff.desk import Desk, show, staff_page
from grading.calibrations import AlreadyCalibrated, Filled
from grading.models import Calibration, Measurement
from registry_site.problems import Refusal

_SEAL = "certificates.calibration"


class _SeveralFiles(forms.ClearableFileInput):
    allow_multiple_selected = True


class SheetsField(forms.FileField):
    """One file or more, in a field of the name of one."""

    widget = _SeveralFiles

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        files = [super(SheetsField, self).clean(one, initial) for one in data or [None]]
        if len(files) > calibrating.MOST_SHEETS:
            raise forms.ValidationError(
                ngettext_lazy(
                    "At most %(n)s sheet.", "At most %(n)s sheets at once.", calibrating.MOST_SHEETS
                ),
                params={"n": calibrating.MOST_SHEETS},
            )
        for file in files:
            if file.size > calibrating.MOST_BYTES:
                raise forms.ValidationError(
                    gettext_lazy("“%(name)s” is larger than %(megabytes)s MB: that is no review sheet."),
                    params={"name": file.name, "megabytes": calibrating.MOST_BYTES // 1024**2},
                )
        return files


class SheetsForm(forms.Form):
    reviewer = forms.CharField(
        label=gettext_lazy("Who reviewed, where a row does not say it"),
        help_text=gettext_lazy("A name or a code. It is compared with whoever evaluated, and not kept."),
        max_length=120,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    sheets = SheetsField(
        label=gettext_lazy("Filled sheets (CSV)"),
        help_text=gettext_lazy("One file or several, as your spreadsheet program saves them."),
        error_messages={
            "required": gettext_lazy("Choose one sheet at least."),
            "empty": gettext_lazy("The file is empty: choose the filled sheet."),
        },
        widget=_SeveralFiles(attrs={"accept": ".csv,text/csv", "multiple": True}),
    )
    declared = forms.BooleanField(
        label=gettext_lazy(
            "Nobody who reviewed took part in this evaluation or saw the judge's verdicts, and I know it from them."
        ),
        error_messages={"required": gettext_lazy("Without it the review is not blind and cannot be added.")},
    )


@require_GET
@staff_page
def review_sheet(_request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    measurement = get_object_or_404(names.with_parents(), pk=pk)
    seed, sheet = calibrating.sheet(measurement, by=desk.user, at=desk.now)
    return answers.handed_in(sheet, name=f"review-{names.reference(measurement)}-{seed}.csv")


@require_http_methods(["GET", "POST"])
@staff_page
def calibrate(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    measurement = get_object_or_404(names.with_parents(), pk=pk)
    refusal = policies.refusal_to_calibrate(desk.user, measurement, at=desk.now)
    if refusal is not None and request.method == "POST":
        raise refusal
    if request.method == "GET" or refusal is not None:
        return _form(request, desk, measurement, SheetsForm(), refusal=refusal)
    if request.POST.get("action") == "add":
        return _add(request, desk, measurement)
    form = SheetsForm(request.POST, request.FILES)
    if not form.is_valid():
        return _form(request, desk, measurement, form, status=422)
    files = [File(one.name, one.read()) for one in form.cleaned_data["sheets"]]
    try:
        seen = calibrating.preview(
            measurement, files, reviewer=form.cleaned_data["reviewer"], by=desk.user, at=desk.now
        )
    except SheetsRefused as told:
        form.add_error("sheets", str(told.detail))
        return _form(
            request,
            desk,
            measurement,
            form,
            faults=told.extra["faults"],
            beyond=told.extra["faults_omitted"],
            status=told.status,
        )
    except Refusal as told:
        form.add_error("sheets", str(told.detail))
        return _form(request, desk, measurement, form, status=told.status)
    return show(
        request,
        desk,
        "calibrate_preview",
        here="queue",
        measurement=measurement,
        reference=names.reference(measurement),
        seen=seen,
        agreement=calibration_facts.published(
            seen.agreement, measurement, measured.published_figures(measurement)
        ),
        seal=_seal(desk, measurement, seen),
    )


def _form(
    request: HttpRequest,
    desk: Desk,
    measurement: Measurement,
    form: SheetsForm,
    *,
    refusal: Refusal | None = None,
    faults: list[dict[str, Any]] | None = None,
    beyond: int = 0,
    status: int = 200,
) -> HttpResponse:
    return show(
        request,
        desk,
        "calibrate",
        here="queue",
        measurement=measurement,
        reference=names.reference(measurement),
        form=form,
        refusal=refusal,
        faults=calibrating.summed(faults or []),
        beyond=beyond,
        status=status,
    )


def _add(request: HttpRequest, desk: Desk, measurement: Measurement) -> HttpResponse:
    address = reverse("staff:measurement", args=[measurement.pk])
    try:
        said = _sealed(request, desk, measurement)
    except signing.BadSignature:
        messages.info(request, _("That preview is too old or not yours: choose the sheets again."))
        return HttpResponseRedirect(reverse("staff:calibrate", args=[measurement.pk]))
    try:
        calibrating.add(measurement, said, by=desk.user, at=desk.now)
    except AlreadyCalibrated as told:
        known = Calibration.objects.get(pk=told.extra["calibration"])
        if known.by_id != desk.person.pk:
            raise
        messages.info(request, str(told.detail))
    else:
        messages.success(request, _("The blind review stands on the pages of this measurement."))
    return HttpResponseRedirect(f"{address}#calibrations")


# ── the seal ─────────────────────────────────────────────────────────────────


def _seal(desk: Desk, measurement: Measurement, seen: Preview) -> str:
    """What was seen, by whom and on which measurement."""
    said = seen.said
    return signing.dumps(
        [measurement.pk, desk.person.pk, list(said.marks), [list(sheet) for sheet in said.sheets]],
        salt=_SEAL,
        compress=True,
    )


def _sealed(request: HttpRequest, desk: Desk, measurement: Measurement) -> Filled:
    of, by, marks, sheets = signing.loads(request.POST.get("seal", ""), salt=_SEAL, max_age=seals.HOLDS)
    if (of, by) != (measurement.pk, desk.person.pk):
        raise signing.BadSignature("another measurement or person")
    return Filled(tuple(marks), tuple((sha256, tuple(people), count) for sha256, people, count in sheets))
