"""Publishes test cases, the variants of their text, and the sites that runs may reach. The only writer of these."""

import hashlib
import ipaddress
import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from evidence import case_documents
from evidence.case_documents import CaseDocument, UnusableCase
from evidence.models import CaseVariant, Target, TestCase
from evidence.models.test_case import TargetKind
from evidence.plain_json import Fault, is_unsafe_name
from registry_site import audit, public_events
from registry_site.models import Person
from registry_site.problems import Refusal

OBSERVED_SITE = "observed-site"
_DOMAIN = re.compile(r"(?=.{4,253}\Z)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]\Z")


class CaseFaulty(Refusal):
    """`faults` are (place, what was expected), each with its code."""

    code = "case_faulty"
    status = 422
    title = _("The case cannot be published as it is written")

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        told = [{"code": one.code, "at": one.key, "expected": one.expected} for one in self.faults]
        super().__init__(
            " · ".join(f"{one.code} {one.key or ''}".strip() for one in self.faults), errors=told
        )


class CaseAlreadyPublished(Refusal):
    code = "case_already_published"
    title = _("That version of the case is published already, with other content: a change is a new version")


class CannotMakeVariant(Refusal):
    """`field` names what was written wrong."""

    code = "cannot_make_variant"
    status = 422
    title = _("The variant cannot be made")


class CannotMakeTarget(Refusal):
    """`field` names what was written wrong."""

    code = "cannot_make_target"
    status = 422
    title = _("The site cannot be configured")


def checked(document: dict[str, Any]) -> CaseDocument:
    """The case in a document. Raises CaseFaulty."""
    try:
        return case_documents.read(document)
    except UnusableCase as error:
        raise CaseFaulty(error.faults) from error


@transaction.atomic
def publish(document: dict[str, Any], *, by: Person | None, at: datetime) -> TestCase:
    """Publish one version of a case (a document of evidence.case_documents); the same again returns what exists.

    Raises CaseFaulty, CaseAlreadyPublished.
    """
    read = checked(document)
    public = read.public_form
    known = TestCase.objects.filter(code=read.code, version=read.version).first()
    if known is not None:
        if bytes(known.document) == public and known.catalogue == list(read.catalogue):
            return known
        raise CaseAlreadyPublished(field="version")
    case = TestCase.objects.create(
        code=read.code,
        version=read.version,
        title_es=read.title["es"],
        title_en=read.title["en"],
        assignment=read.assignment,
        language=read.language,
        max_requests=read.max_requests,
        max_seconds=read.max_seconds,
        terms_path=read.terms_path,
        points=[dict(point) for point in read.points],
        catalogue=list(read.catalogue),
        document=public,
        sha256=hashlib.sha256(public).hexdigest(),
        published_by=by,
        published_at=at,
    )
    subject = f"case:{case.code}-{case.version}"
    public_events.append(
        "case.published", subject=subject, at=at, document={"v": 1, "case": case.code, "sha256": case.sha256}
    )
    audit.record("case.published", by=by, at=at, subject=subject)
    return case


@transaction.atomic
def make_variant(
    case: TestCase, *, start_domain: str, target: Target, by: Person | None, at: datetime
) -> CaseVariant:
    """Fill a start domain in; the same again returns what exists. Raises CannotMakeVariant."""
    domain = start_domain.strip().rstrip(".").lower()
    if not _DOMAIN.match(domain):
        raise CannotMakeVariant(
            _("Write a domain name, for example observatorio.example, without https:// and without a path."),
            field="start_domain",
        )
    known = CaseVariant.objects.filter(case=case, start_domain=domain).first()
    if known is not None:
        if known.target_id == target.pk:
            return known
        raise CannotMakeVariant(
            _("That start domain is a variant already, with another site."), field="target"
        )
    text = case_documents.filled_in(case.assignment, start_domain=domain)
    variant = CaseVariant.objects.create(
        case=case,
        start_domain=domain,
        assignment=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        target=target,
        made_by=by,
        made_at=at,
    )
    subject = f"case:{case.code}-{case.version}"
    public_events.append(
        "case.variant",
        subject=subject,
        at=at,
        document={"v": 1, "case": case.code, "start_domain": domain, "sha256": variant.sha256},
    )
    audit.record("case.variant", by=by, at=at, subject=subject)
    return variant


@transaction.atomic
def observed_site(*, at: datetime) -> Target:
    """The built-in site as a target; made once."""
    target, _made = Target.objects.get_or_create(
        name=OBSERVED_SITE, defaults={"kind": TargetKind.OBSERVED_SITE, "made_at": at}
    )
    return target


@transaction.atomic
def make_target(
    *, name: str, scheme: str, host: str, port: int | None, by: Person | None, at: datetime
) -> Target:
    """Configure an upstream that runs may reach: scheme, host and port are fixed. Raises CannotMakeTarget."""
    name, host = name.strip(), host.strip().rstrip(".").lower()
    if not name or len(name) > 100 or is_unsafe_name(name):
        raise CannotMakeTarget(_("Give it a name of at most 100 characters."), field="name")
    if Target.objects.filter(name=name).exists():
        raise CannotMakeTarget(_("Another site has that name."), field="name")
    if scheme not in ("http", "https"):
        raise CannotMakeTarget(_("Choose http or https."), field="scheme")
    if not (_DOMAIN.match(host) or _is_address(host)):
        raise CannotMakeTarget(
            _("Write a host name or an address, without https:// and without a path."), field="host"
        )
    port = port or (443 if scheme == "https" else 80)
    if not 1 <= port <= 65535:
        raise CannotMakeTarget(_("A port is a number from 1 to 65535."), field="port")
    target = Target.objects.create(
        name=name, kind=TargetKind.UPSTREAM, scheme=scheme, host=host, port=port, made_by=by, made_at=at
    )
    audit.record("target.made", by=by, at=at, subject=f"target:{target.pk}")
    return target


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
