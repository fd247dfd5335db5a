"""The audit log: a registrar reads everybody's entries, others their own; a file of it to take along."""

import csv
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from certificates import audit_words
from certificates.views.staff.desk import Desk, show, staff_page
from registry_site import audit, audit_log, csv_cells
from registry_site.models import AuditEntry
from registry_site.roles import Role

LATEST_YEAR = 9998  # the day after the last one must still be a date


class FilterForm(forms.Form):
    """Which entries; all of it optional, and kept in the address."""

    person = forms.IntegerField(required=False, min_value=1, max_value=2**62)
    action = forms.CharField(required=False, max_length=60)
    subject = forms.CharField(label=gettext_lazy("About"), required=False, max_length=200)
    since = forms.DateField(label=gettext_lazy("From"), required=False, input_formats=["%Y-%m-%d"])
    until = forms.DateField(label=gettext_lazy("Until"), required=False, input_formats=["%Y-%m-%d"])
    before = forms.IntegerField(required=False, min_value=1, max_value=2**62)

    def clean_until(self) -> date | None:
        until = self.cleaned_data["until"]
        return until if until is None or until.year <= LATEST_YEAR else None

    def wanted(self, desk: Desk) -> audit_log.Wanted:
        """Days are counted in the registry's zone, both included."""
        asked = self.cleaned_data
        until = asked.get("until")
        return audit_log.Wanted(
            person=asked.get("person"),
            action=asked.get("action") or "",
            subjects=audit_words.subjects_named(asked.get("subject") or ""),
            since=_midnight(asked.get("since"), desk),
            until=_midnight(until + timedelta(days=1) if until else None, desk),
            before=asked.get("before"),
        )

    def query(self, **more: int | None) -> str:
        kept = {name: self.data.get(name) for name in ("person", "action", "subject", "since", "until")}
        return urlencode({name: value for name, value in {**kept, **more}.items() if value})


def _midnight(day: date | None, desk: Desk) -> datetime | None:
    return None if day is None else datetime.combine(day, time(), tzinfo=desk.now.tzinfo)


@require_GET
@staff_page
def log(request: HttpRequest, desk: Desk) -> HttpResponse:
    form = FilterForm(request.GET)
    page = audit_log.page(form.wanted(desk), reader=desk.person) if form.is_valid() else None
    sees_all = Role.REGISTRAR in desk.roles
    return show(
        request,
        desk,
        "audit",
        here="audit",
        form=form,
        sees_all=sees_all,
        people=audit_log.people() if sees_all else (),
        actions=sorted(
            ((code, str(words)) for code, words in audit_words.ACTIONS.items()), key=lambda one: one[1]
        ),
        entries=[
            (
                entry,
                audit_words.action(entry.action),
                audit_words.subject(entry.subject),
                audit_words.details(entry.detail),
            )
            for entry in (page.entries if page else ())
        ],
        following=form.query(before=page.before) if page and page.before else "",
        file_query=form.query(),
        longest=audit_log.LONGEST_EXPORT,
        status=200 if page else 422,
    )


@require_GET
@staff_page
def export(request: HttpRequest, desk: Desk) -> HttpResponse:
    """The same entries as a file; that it was taken along is an entry itself."""
    form = FilterForm(request.GET)
    if not form.is_valid():
        return HttpResponse(_("Some fields cannot be accepted."), status=422, content_type="text/plain")
    audit.record("audit.exported", by=desk.person, at=desk.now)
    response = StreamingHttpResponse(
        _lines(audit_log.export(form.wanted(desk), reader=desk.person)),
        content_type="text/csv; charset=utf-8",
    )
    response["Content-Disposition"] = f'attachment; filename="audit-{desk.now:%Y-%m-%d}.csv"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


class _Line:
    """What a csv writer writes to: it hands the line on instead of keeping it."""

    def write(self, text: str) -> str:
        return text


def _lines(entries: Iterator[AuditEntry]) -> Iterator[str]:
    """Codes and instants in UTC, as the log keeps them: the same file in both languages."""
    line = csv.writer(_Line())
    yield line.writerow(["at", "person", "action", "subject", "detail"])
    for entry in entries:
        told = "; ".join(f"{name}={value}" for name, value in audit_words.details(entry.detail))
        cells = (
            entry.at.isoformat(),
            entry.person.name if entry.person else "",
            entry.action,
            entry.subject,
            told,
        )
        yield line.writerow([csv_cells.guarded(cell) for cell in cells])
