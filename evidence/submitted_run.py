"""A run that its submitter recorded: what they say of it, a HAR and an answer → the members of a package.

What comes of it says `recorded_by: submitter`, in the run and wherever it is shown. It has no token and no number of
this registry, and is never certified as recorded by it.
"""

import hashlib
from collections.abc import Iterator
from itertools import islice

import msgspec

from evidence import run_members
from evidence.descriptor import Name, SystemUnderEvaluation
from evidence.har import Imported
from evidence.plain_json import MOST_FAULTS, Fault, is_unsafe_name, parse, shown
from evidence.run_records import Instant, Intervention, Limits, RunRecord, Text, outcome_of
from evidence.typed_json import faults_of, without_nulls
from evidence.versions import is_floating

FORMAT = "submitted-run/1"


class Description(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a HAR does not say. `hosts` are the names the site went by beside its start domain, ports included.

    `run` is the submitter's own name of the run; `closed_at` is when the answer was delivered.
    """

    format: Name
    system: SystemUnderEvaluation
    run: Name
    test_case: Name
    case_version: int
    start_domain: Name
    assignment: Text
    tools: list[Name]
    language: Name
    clean_session: bool
    closed_at: Instant
    limits: Limits
    interventions: list[Intervention]
    knew_catalogue: bool
    hosts: list[Name] = []


def read(text: bytes) -> tuple[Description | None, list[Fault]]:
    """The description, or None, and every fault of it."""
    value, faults = parse(text, unique_keys=True)
    if value is None and faults:
        return None, faults
    value = without_nulls(value)
    faults += islice(faults_of(value, Description), MOST_FAULTS)
    if faults:
        return None, faults
    description = msgspec.convert(value, Description)
    faults += _rules(description)
    return (None if faults else description), faults


def members(description: Description, imported: Imported, answer: str) -> dict[str, bytes]:
    """Path below `data/` → bytes. The answer stays as it was delivered but for secrets that the HAR held."""
    started_at = imported.exchanges[0].at
    run = RunRecord(
        format="agent-run/1",
        run=description.run,
        test_case=description.test_case,
        case_version=description.case_version,
        start_domain=description.start_domain,
        assignment=description.assignment,
        assignment_sha256=hashlib.sha256(description.assignment.encode()).hexdigest(),
        tools=description.tools,
        language=description.language,
        clean_session=description.clean_session,
        started_at=started_at,
        closed_at=description.closed_at,
        ended="closed",
        limits=description.limits,
        interventions=description.interventions,
        knew_catalogue=description.knew_catalogue,
        outcome=outcome_of(description.interventions, knew_catalogue=description.knew_catalogue),
        recorded_by="submitter",
        interrupted_by_registry=False,
    )
    system = msgspec.to_builtins(description.system)
    evaluation = run_members.descriptor(system=system, measured_at=started_at)
    written = run_members.members(evaluation, run, imported.exchanges, imported.cleaned(answer))
    return {**written, **{f"bodies/{digest}": body for digest, body in imported.bodies.items()}}


def _rules(description: Description) -> Iterator[Fault]:
    if description.format != FORMAT:
        yield Fault("FORMAT_UNSUPPORTED", "format", FORMAT, shown(description.format))
    if is_floating(description.system.version):
        yield Fault(
            "VERSION_FLOATING", "system.version", "a pinned version", shown(description.system.version)
        )
    for key in ("run", "test_case", "start_domain", "language"):
        if is_unsafe_name(getattr(description, key)):
            yield Fault("UNSAFE_TEXT", key, found=shown(getattr(description, key)))
