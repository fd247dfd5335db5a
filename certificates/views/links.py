"""Doors that a signed link opens: the session that stands in for the link, and the refusal of what is too long.

A link is opened with GET, by people and by programs that look at mail before people do, so GET changes nothing:
it moves the secret into a short session and goes on to an address without it. Only a POST acts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import wraps
from http import HTTPStatus
from typing import Any, Generic, TypeVar

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from certificates import attached_files
from certificates.views.private import View
from registry_site.models import SignedLink
from registry_site.problems import Refusal
from registry_site.signed_links import LinkRefused

# How long the session stands in for the link. The link itself lives until it is used or its deadline has passed.
SESSION_HOLDS = timedelta(hours=2)

Link = TypeVar("Link", bound=SignedLink)


@dataclass(frozen=True)
class LinkDoor(Generic[Link]):
    """One purpose of one kind of link, the place of it in a session, and the page that tells a refusal.

    `find` is the living link of a secret for this purpose, `known` are all links with what they name.
    """

    session: str
    purpose: str
    find: Callable[..., Link]
    known: Callable[[], QuerySet[Link]]
    page: str

    def enter(self, request: HttpRequest, secret: str, *, at: datetime, to: str) -> HttpResponse:
        """From the letter to the address without the secret."""
        try:
            link = self.find(secret, at=at)
        except LinkRefused as refusal:
            return self.refused(request, refusal)
        self.remember(request, link, at=at)
        return HttpResponseRedirect(to)

    def remember(self, request: HttpRequest, link: Link, *, at: datetime) -> None:
        request.session[self.session] = {
            "link": link.pk,
            "purpose": self.purpose,
            "until": (at + SESSION_HOLDS).isoformat(),
        }

    def admit(self, request: HttpRequest, secret: str, *, at: datetime) -> None:
        """Let this session in by a link that was made for it."""
        self.remember(request, self.find(secret, at=at), at=at)

    def holds(self, request: HttpRequest) -> bool:
        """Whether this session has come by such a link, however long ago."""
        return (request.session.get(self.session) or {}).get("purpose") == self.purpose

    def link(self, request: HttpRequest, *, at: datetime) -> Link:
        """The link this session came by, also one that was used meanwhile; or `LinkRefused`."""
        kept = request.session.get(self.session)
        if not self.holds(request) or at >= datetime.fromisoformat(kept["until"]):
            raise LinkRefused(
                _("Open the link in the e-mail: this page is reached by it alone."), code="link_needed"
            )
        link = self.known().filter(pk=kept["link"]).first()
        if link is None:
            raise LinkRefused()
        return link

    def refused(self, request: HttpRequest, refusal: Refusal, **facts: Any) -> HttpResponse:
        return render(
            request,
            self.page,
            {"refusal": refusal, "purpose": str(self.purpose), **facts},
            status=refusal.status,
        )


def fit_to_read(view: View) -> View:
    """Refuse a body by its announced length before it is read; only then is the token of the form looked for in it."""
    guarded = csrf_protect(view)

    @wraps(view)
    def door(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "POST" and _length(request) > attached_files.LONGEST_REQUEST:
            return render(
                request,
                "concerns/too_long.html",
                {"most": attached_files.MOST, "megabytes": attached_files.LARGEST // 1024**2},
                status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            )
        return guarded(request, *args, **kwargs)

    # Not left out: `guarded` has it.
    return csrf_exempt(door)


def _length(request: HttpRequest) -> int:
    declared = request.META.get("CONTENT_LENGTH") or "0"
    return int(declared) if declared.isdecimal() else 0
