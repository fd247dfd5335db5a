"""What the two doors to an appeal share, the one by a link and the one from an account: its form and its page."""

from datetime import datetime
from http import HTTPStatus
from typing import Any
from zoneinfo import ZoneInfo

from django.http import HttpRequest
from django.utils.translation import gettext as _

from certificates import appeal_facts, appeal_links, appeal_rows, appeals, attached_files
from certificates.appeal_authors import Author
from certificates.appeal_forms import AppealForm
from certificates.models import Appeal, Notice
from registry_site import rates
from registry_site.client_address import client_address
from registry_site.problems import Refusal
from registry_site.signed_links import LinkRefused


def file_from(
    request: HttpRequest, asked: AppealForm, by: Author, *, language: str, at: datetime
) -> Appeal | int:
    """The appeal, or the status with which the form is shown again; a link that is dead is raised."""
    if not asked.is_valid():
        return HTTPStatus.UNPROCESSABLE_ENTITY
    rate = rates.take("appeals", client_address(request), at=at)
    if rate is not None and rate.exceeded:
        asked.add_error(
            None, _("Too many attempts from here. What you wrote is still in the form: try again later.")
        )
        return HTTPStatus.TOO_MANY_REQUESTS
    try:
        kept = attached_files.keep((file.name or "", file) for file in asked.cleaned_data["attachments"])
        return appeals.file(by, at=at, language=language, attachments=kept, **asked.facts())
    except LinkRefused:
        raise
    except Refusal as refusal:
        named = refusal.extra.get("field")
        asked.add_error(named if named in asked.fields else None, str(refusal.detail))
        return refusal.status


def of_form(notice: Notice, asked: AppealForm, *, at: datetime) -> tuple[ZoneInfo, dict[str, Any]]:
    """The zone in which the form's dates are told, and what it shows."""
    measurement = notice.measurement or notice.certificate.measurement
    zone: ZoneInfo = measurement.scheme.rules.zone
    return zone, {
        "notice": notice,
        "form": asked,
        "until": notice.appeal_until.astimezone(zone),
        "late": at >= notice.appeal_until,
        "last_moment": appeal_links.last_moment(notice).astimezone(zone),
    }


def of_appeal(appeal: Appeal, *, at: datetime) -> dict[str, Any]:
    """What the private page of an appeal shows."""
    return {
        "appeal": appeal_facts.of_appeal(appeal, at=at, zone=appeal_rows.zone_of(appeal)),
        "late": appeal.late,
        "grounds": appeal.grounds,
        "attachments": list(appeal.attachments.all()),
        "open": appeal_rows.life_of(appeal).is_open,
    }
