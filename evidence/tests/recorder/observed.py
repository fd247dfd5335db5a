"""A run ready to be recorded, made row by row: what registering one asks for is not the recorder's business."""

import hashlib
import itertools
from dataclasses import dataclass
from datetime import timedelta

from evidence.models import (
    CaseVariant,
    RequestArrived,
    ResponseSent,
    Run,
    RunCounter,
    RunToken,
    Target,
    TestCase,
)
from evidence.recorder import tokens
from registry_site import clock

START_DOMAIN = "observatoriodeagentes.com"
_NUMBERS = itertools.count(1)
ASSIGNMENT = "Puede empezar en {start_domain}."


@dataclass(frozen=True)
class ObservedRun:
    """A run with its two secrets in clear, as only its operator has them."""

    run: Run
    token: str
    label: str

    @property
    def host(self) -> str:
        return f"{self.label}.runs.localhost"

    def arrivals(self) -> list[RequestArrived]:
        return list(
            RequestArrived.objects.filter(run=self.run).select_related("response").order_by("sequence")
        )

    def responses(self) -> list[ResponseSent]:
        return list(ResponseSent.objects.filter(arrival__run=self.run).order_by("arrival__sequence"))

    def end(self) -> None:
        """As closing does: nothing arrives and nothing is answered afterwards."""
        RunCounter.objects.filter(run=self.run).update(stopped_at=clock.now())
        RunToken.objects.filter(run=self.run).update(ended_at=clock.now())


def observed_run(
    *,
    upstream: tuple[str, str, int] | None = None,
    requests: int = 40,
    seconds: int = 1200,
    lifetime: timedelta = timedelta(hours=24),
) -> ObservedRun:
    """A technical run against the built-in site, or against `(scheme, host, port)`."""
    at = clock.now()
    number = f"EJ-2026-{next(_NUMBERS):06d}"
    case = TestCase.objects.create(
        code=f"PI-{number[-6:]}",
        version=1,
        title_es="Prueba",
        title_en="Test",
        assignment=ASSIGNMENT,
        language="es",
        max_requests=requests,
        max_seconds=seconds,
        terms_path="/condiciones",
        points=[],
        catalogue=[],
        document=b"{}",
        sha256=hashlib.sha256(b"{}").hexdigest(),
        published_at=at,
    )
    if upstream:
        kind, (scheme, host, port) = "upstream", upstream
        target = Target.objects.create(
            name=number, kind=kind, scheme=scheme, host=host, port=port, made_at=at
        )
    else:
        target = Target.objects.create(name=number, kind="observed_site", made_at=at)
    text = ASSIGNMENT.format(start_domain=START_DOMAIN)
    variant = CaseVariant.objects.create(
        case=case,
        start_domain=START_DOMAIN,
        assignment=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        target=target,
        made_at=at,
    )
    run = Run.objects.create(
        number=number,
        variant=variant,
        outcome="technical",
        language="es",
        clean_session=True,
        delivered=text,
        registered_at=at,
        deadline_at=at + lifetime,
    )
    token, label = tokens.new_token(), tokens.new_label()
    # A token that has run out was issued a day before it did.
    RunToken.objects.create(
        run=run,
        token_sha256=tokens.digest(token),
        label_sha256=tokens.digest(label),
        issued_at=min(at, at + lifetime - timedelta(hours=24)),
        expires_at=at + lifetime,
    )
    RunCounter.objects.create(run=run)
    return ObservedRun(run, token, label)
