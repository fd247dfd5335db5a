"""Plain factories: a registry with its people, and measurements that a certificate can be issued on."""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count

from django.db import transaction

from certificates import holder_requests, lifecycle
from certificates.models import Certificate
from certificates.pages import Text
from certificates.states import Status
from evidence.models import (
    EvidencePackage,
    Holder,
    Member,
    PackageState,
    Participation,
    System,
    SystemVersion,
    Verification,
)
from grading import data, publication
from grading.models import Figure, Measurement, Scheme
from registry_site import clock
from registry_site.models import Person, RoleGrant, User
from registry_site.roles import Role

STATEMENT = Text(es="Se publica esta decisión.", en="This decision is published.")
CONDITIONS = [Text(es="Retirar el texto del sitio.", en="Remove the text from the site.")]
_serial = count(1)


@dataclass
class People:
    """Who acts in a test, named for what they may do."""

    evaluator: User
    certifier: User
    second_certifier: User
    appeals_officer: User
    registrar: User


def person(name: str, *held: Role, **account) -> User:
    someone = Person.objects.create(name=name)
    user = User.objects.create_user(
        f"{name.lower().replace(' ', '.')}.{next(_serial)}@registro.example", person=someone, **account
    )
    for role in held:
        RoleGrant.objects.create(person=someone, role=role, granted_at=clock.now())
    return user


def people() -> People:
    return People(
        evaluator=person("Elena Evaluadora", Role.EVALUATOR),
        certifier=person("Carlos Certificador", Role.CERTIFIER),
        second_certifier=person("Carmen Certificadora", Role.CERTIFIER),
        appeals_officer=person("Ana Apelaciones", Role.APPEALS_OFFICER),
        registrar=person("Rita Registradora", Role.REGISTRAR),
    )


def holder(name: str = "Peumo SpA", **more) -> Holder:
    number = next(_serial)
    facts = {
        "name": name,
        "folded": name.casefold(),
        "identifier_kind": "tax_number",
        "identifier": f"76.{number:03d}.000-K",
        "country": "CL",
        "contact_email": f"contacto{number}@peumo.example",
        "confirmation": "confirmed",
        "created_at": clock.now(),
    }
    return Holder.objects.create(**(facts | more))


def version(
    of: Holder | None = None, *, name: str = "Peumo Consulta", pinned: str = "4.2.1", **more
) -> SystemVersion:
    of = of or holder()
    system, _made = System.objects.get_or_create(
        holder=of,
        folded=name.casefold(),
        defaults={"name": name, "confirmation": "confirmed", "created_at": clock.now()} | more,
    )
    return SystemVersion.objects.create(
        system=system, version=pinned, model_family="peumo", created_at=clock.now()
    )


def scheme() -> Scheme:
    return publication.publish(data.read("schemes/HALU-1.json"), at=clock.now())


@dataclass
class Evidence:
    """How a measurement of a test differs from one that can be certified."""

    age: timedelta = timedelta(days=2)
    integrity: str = "verified"
    coincides: bool = True
    set_sha256: str = "5e" * 32
    access: str = "members"
    sealed: tuple[str, ...] = ()
    figures: tuple[tuple[str | None, int, int], ...] = ((None, 15, 148), ("es", 9, 88), ("en", 6, 60))
    descriptor: dict = field(default_factory=dict)
    method: str = "hallucination"


@transaction.atomic
def measurement(
    of: SystemVersion | None = None, *, by: User, evidence: Evidence | None = None
) -> Measurement:
    """A frozen measurement, as verification and recomputation leave it."""
    evidence = evidence or Evidence()
    of = of or version()
    now = clock.now()
    sha256 = hashlib.sha256(f"package {next(_serial)}".encode()).hexdigest()
    package = EvidencePackage.objects.create(
        submitter=by,
        sha256=sha256,
        size=1_234_567,
        state=PackageState.READY,
        system_version=of,
        created_at=now,
        received_at=now,
        finished_at=now,
    )
    Participation.objects.create(package=package, person=by.person, kind="submitted", at=now)
    descriptor = {
        "format": "evaluation-package/1",
        "method": evidence.method,
        "access": evidence.access,
        "sealed": list(evidence.sealed),
        "question_set": {"name": "Norma ficticia 1", "sha256": evidence.set_sha256},
        "corpus": {"documents": 3, "articles": 120, "as_of": "2026-10-01"},
        "judges": [{"id": "j1", "family": "quillay", "version": "quillay-2.0", "temperature": 0.0}],
    } | evidence.descriptor
    verification = Verification.objects.create(
        package=package,
        verifier_version="1",
        integrity=evidence.integrity,
        complete=True,
        sha256=sha256,
        size=package.size,
        member_count=2,
        descriptor=descriptor,
        at=now,
    )
    for path in ("data/evaluation.json", "data/items.jsonl"):
        sealed = path in evidence.sealed
        Member.objects.create(
            verification=verification,
            path=path,
            size=600_000,
            sha256=hashlib.sha256(path.encode()).hexdigest(),
            sealed=sealed,
            salt=b"s" * 32 if sealed else None,
            commitment="c0" * 32 if sealed else "",
        )
    measured = Measurement.objects.create(
        package=package,
        verification=verification,
        scheme=scheme(),
        system_version=of,
        method=evidence.method,
        measured_at=now - evidence.age,
        frozen_at=now,
        set_name="Norma ficticia 1",
        set_sha256=evidence.set_sha256,
        custodian="Registro",
        holder_had_access="no",
        descriptor=descriptor,
        result={"declared": [], "criteria": None, "limitations": [], "counts": {"items": 148}},
        declared_coincide=evidence.coincides,
        grouping_sha256="9a" * 32,
        figures_sha256="f1" * 32,
    )
    for position, (group, k, n) in enumerate(evidence.figures):
        Figure.objects.create(
            measurement=measured,
            position=position,
            metric="hallucination",
            denominator="judged",
            group=group,
            k=k,
            n=n,
            unjudged=0,
            estimate=f"{k / n:.6f}",
            low=f"{k / n * 0.6:.6f}",
            high=f"{min(1, k / n * 1.5):.6f}",
            interval="wilson",
            band="full",
        )
    return measured


def verification(
    package: EvidencePackage, *, integrity="failed", findings=(), omitted=None, warnings=(), sealed=()
) -> Verification:
    """What a check of `package` found; `sealed` are paths of members."""
    found = Verification.objects.create(
        package=package,
        verifier_version="1",
        integrity=integrity,
        complete=True,
        sha256=package.sha256,
        size=package.size,
        member_count=max(1, len(sealed)),
        findings=list(findings),
        findings_omitted=omitted or {},
        warnings=list(warnings),
        at=clock.now(),
    )
    for path in sealed:
        Member.objects.create(
            verification=found,
            path=path,
            size=1,
            sha256="0" * 64,
            sealed=True,
            salt=b"s" * 32,
            commitment="c0" * 32,
        )
    return found


def issued(who: People, on: Measurement | None = None, **more) -> Certificate:
    on = on or measurement(by=who.evaluator)
    return lifecycle.issue(on, by=who.certifier, at=clock.now(), statement=STATEMENT, **more)


def suspend(certificate: Certificate, *, by: User, **more):
    now = clock.now()
    terms = {
        "reason": "misuse_of_certificate",
        "statement": STATEMENT,
        "conditions": CONDITIONS,
        "review_on": (now + timedelta(days=30)).date(),
    }
    return lifecycle.suspend(certificate, by=by, at=now, **(terms | more))


def certificate_at(status: Status, who: People) -> Certificate:
    """A certificate that came to `status` by real steps."""
    if status is Status.EXPIRED:
        return issued(who, valid_until=clock.now() + timedelta(seconds=0.2))
    certificate = issued(who)
    if status is Status.SUSPENDED:
        suspend(certificate, by=who.certifier)
    elif status is Status.REVOKED:
        lifecycle.revoke(
            certificate, by=who.certifier, at=clock.now(), reason="false_declaration", statement=STATEMENT
        )
    elif status is Status.TERMINATED:
        request = holder_requests.store(
            certificate,
            by=who.second_certifier,
            at=clock.now(),
            kind="terminate",
            text="Pedimos finalizar el certificado.",
            received_on=clock.now().date(),
        )
        lifecycle.terminate(
            certificate, by=who.certifier, at=clock.now(), statement=STATEMENT, request=request
        )
    elif status is Status.SUPERSEDED:
        again = measurement(certificate.system_version, by=who.evaluator)
        issued(who, again, supersedes=certificate)
    return certificate


def later(moment: datetime, **delta) -> datetime:
    return moment + timedelta(**delta)
