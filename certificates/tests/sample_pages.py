"""Pages made by hand, for looking at and for the tests of the templates: one for every status, with every
kind of figure.
"""

from dataclasses import replace
from datetime import date, datetime
from zoneinfo import ZoneInfo

from certificates.pages import (
    Appeal,
    Application,
    CertificatePage,
    Condition,
    Corpus,
    Decision,
    DeclaredFigure,
    Entry,
    Evidence,
    Filter,
    Frame,
    Holder,
    HomePage,
    Judge,
    Kappa,
    Limitations,
    Listed,
    ListPage,
    Measurement,
    Member,
    NotFoundPage,
    NoticePage,
    Overturned,
    QuestionSet,
    Report,
    Scheme,
    StatusesPage,
    Text,
    Verdict,
)
from certificates.tests import sample_cases, sample_comparisons, sample_measured, sample_runs, sample_sets
from grading import publishable, statistics
from grading.figures import Figure

CHILE = ZoneInfo("America/Santiago")
NUMBER = "FEH-2026-000117-56"
OTHER = "FEH-2026-000151-51"
URL = "https://fehaciente.example"
HASH = "195aa4f662855507015b6a8b4acfb9d5a2654ebfbe85f88fcb2e3ab4163a7c3d"


def at(year: int, month: int, day: int, hour: int = 10, minute: int = 0) -> datetime:
    return datetime(year, month, day, hour, minute, tzinfo=CHILE)


def figure(metric: str, denominator: str, k: int, n: int, **more: object) -> Figure:
    """A figure with its Wilson interval and the band of its n."""
    if n == 0:
        return Figure(
            metric=metric, denominator=denominator, k=0, n=0, interval="none", band="no_data", **more
        )
    low, high = statistics.wilson(k, n)
    band = "indicative" if n < 30 or high - low > 0.30 else "full"
    return Figure(
        metric=metric,
        denominator=denominator,
        k=k,
        n=n,
        estimate=f"{k / n:.6f}",
        low=f"{low:.6f}",
        high=f"{high:.6f}",
        interval="wilson",
        **{"band": band, **more},
    )


def hidden(metric: str, denominator: str, group: str, reason: str = "few") -> Figure:
    return Figure(
        metric=metric,
        denominator=denominator,
        group=group,
        k=None,
        n=None,
        unjudged=None,
        band="suppressed",
        reason=reason,
    )


# group: exact, incomplete, ill-founded, incorrect, abstention, unjudged
ANSWERS = {
    "es": (362, 33, 9, 8, 28, 0),
    "pt": (161, 16, 5, 4, 15, 0),
    "en": (130, 12, 4, 2, 12, 0),
    "gn": (56, 5, 0, 0, 9, 0),
    "qu": (22, 4, 1, 1, 4, 1),
    None: (748, 69, 20, 15, 73, 1),
}


# The judge's verdict and the person's on the answers reviewed blind.
REVIEWED = {
    ("exact", "exact"): 96,
    ("exact", "incomplete"): 4,
    ("incomplete", "incomplete"): 21,
    ("incomplete", "exact"): 3,
    ("ill_founded", "ill_founded"): 9,
    ("ill_founded", "incorrect"): 2,
    ("incorrect", "incorrect"): 11,
    ("incorrect", "exact"): 1,
}


def figures(answers: dict = ANSWERS) -> tuple[Figure, ...]:
    made: list[Figure] = []
    for group, (exact, incomplete, ill_founded, incorrect, abstained, unjudged) in answers.items():
        judged = exact + incomplete + ill_founded + incorrect
        everything = judged + abstained + unjudged
        counts = {
            "accuracy": exact,
            "incomplete": incomplete,
            "ill_founded": ill_founded,
            "incorrect": incorrect,
            "hallucination": ill_founded + incorrect,
        }
        for metric, k in counts.items():
            made.append(figure(metric, "judged", k, judged, group=group, unjudged=unjudged))
            made.append(figure(metric, "all", k, everything, group=group, unjudged=unjudged))
        made.append(figure("abstention", "all", abstained, everything, group=group, unjudged=unjudged))
    for metric in ("accuracy", "incomplete", "ill_founded", "incorrect", "hallucination", "abstention"):
        for group in ("arn", "ay"):
            if metric != "abstention":
                made.append(hidden(metric, "judged", group))
            made.append(hidden(metric, "all", group))
    made += [
        figure("unnecessary_abstention", "in_corpus", 41, 860),
        figure("necessary_abstention", "abstention_correct", 58, 65),
        figure("hostile_fabrication", "hostile", 0, 120),
        figure("hostile_not_held", "hostile", 9, 120),
        figure("phantom_response", "cited_responses", 3, 690),
        figure("phantom_citation", "verified_citations", 0, 0, reason="no_catalogue"),
        figure("expected_citation", "all", 801, 925),
        figure("hallucination", "judged", 12, 420, category="factual_direct"),
        figure("hallucination", "judged", 23, 432, category="factual_applied"),
        figure("hostile_fabrication", "hostile", 0, 40, category="trap"),
        figure("hostile_fabrication", "hostile", 0, 40, category="out_of_corpus"),
        figure("hostile_not_held", "hostile", 9, 40, category="adversarial"),
    ]
    return tuple(made)


def frame(path: str = f"c/{NUMBER}/", **more: object) -> Frame:
    return Frame(public_url=URL, path=path, as_of=at(2026, 9, 11, 9, 14), demo=True, **more)


SUSPENSION = Text(
    es=(
        "Bajo el nombre de la versión 4.2.1 respondía la 4.3.0, que no está certificada. El "
        "registro lo comprobó el 29 de junio."
    ),
    en=(
        "Under the name of version 4.2.1, 4.3.0 was answering, which is not certified. The registry "
        "established it on 29 June."
    ),
)
CONDITIONS = (
    Condition(
        text=Text(es="Volver a servir la versión 4.2.1.", en="Serve version 4.2.1 again."),
        met_on=date(2026, 8, 21),
    ),
    Condition(
        text=Text(
            es="Avisar a los clientes de las fechas en que respondió otra versión.",
            en="Tell the customers the dates on which another version answered.",
        ),
        met_on=date(2026, 8, 28),
    ),
    Condition(text=Text(es="Medir de nuevo con el mismo conjunto.", en="Measure again with the same set.")),
)
APPEAL = Appeal(
    number="AP-2026-000009",
    against="AV-2026-000112",
    state="decided",
    outcome="dismissed",
    filed_at=at(2026, 7, 20),
    admitted_at=at(2026, 7, 24),
    decided_at=at(2026, 8, 19),
    grounds=Text(
        es="La 4.3.0 solo cambiaba la interfaz; suspender era desproporcionado.",
        en="4.3.0 only changed the interface; suspending was out of proportion.",
    ),
    reasons=Text(
        es="La 4.3.0 cambia el índice de recuperación, que es parte de lo medido.",
        en="4.3.0 changes the retrieval index, which is part of what was measured.",
    ),
    notice="AV-2026-000140",
)
ISSUED = Entry(
    sequence=1,
    step="issue",
    at=at(2026, 4, 14),
    before=None,
    after="active",
    notice="AV-2026-000040",
    role="certifier",
    hash=HASH,
)
SUSPENDED = Entry(
    sequence=2,
    step="suspend",
    at=at(2026, 7, 2),
    before="active",
    after="suspended",
    reason="system_changed",
    statement=SUSPENSION,
    conditions=CONDITIONS,
    review_on=date(2026, 9, 30),
    notice="AV-2026-000112",
    role="certifier",
    hash=HASH,
    appeal=APPEAL,
)
REINSTATED = Entry(
    sequence=3,
    step="reinstate",
    at=at(2026, 9, 11),
    before="suspended",
    after="active",
    notice="AV-2026-000151",
    role="certifier",
    statement=Text(
        es="Las tres condiciones constan cumplidas.", en="The three conditions are on record as met."
    ),
    hash=HASH,
)


def verdict(status: str, **more: object) -> Verdict:
    facts: dict[str, object] = {
        "status": status,
        "in_force": None if status == "unknown" else status == "active",
        "system": "Peumo Consulta",
        "version": "4.2.1",
        "measured_at": at(2026, 3, 27),
        "valid_until": datetime(2028, 4, 14, tzinfo=CHILE),
        "since": at(2026, 7, 2),
        "decision": "AV-2026-000112",
    }
    return Verdict(**{**facts, **more})


def verdicts() -> dict[str, Verdict]:
    """Every case of the status sentence, by a telling name."""
    deadline = datetime(2026, 12, 31, tzinfo=CHILE)
    why = {"reason": "system_changed", "statement": SUSPENSION}
    false = {"reason": "false_declaration"}
    return {
        "active": verdict("active", since=at(2026, 4, 14)),
        "active-suspended-before": verdict("active", past_suspensions=((at(2026, 7, 2), at(2026, 9, 11)),)),
        "active-complaint": verdict("active", open_report="QJ-2026-000214"),
        "active-erratum": verdict("active", erratum="AV-2026-000160", newer=OTHER),
        "do-not-rely": verdict("active", erratum="AV-2026-000160", do_not_rely=True),
        "suspended": verdict(
            "suspended", review_on=date(2026, 9, 30), appeal_until=datetime(2026, 8, 2, tzinfo=CHILE), **why
        ),
        "suspended-overdue": verdict(
            "suspended", review_on=date(2026, 9, 30), review_overdue=True, appeal_period_over=True, **why
        ),
        "suspended-other": verdict(
            "suspended",
            reason="other",
            review_on=date(2026, 9, 30),
            statement=Text(es="no se pudo localizar al titular.", en="the holder could not be reached."),
        ),
        "revoked": verdict("revoked", appeal_until=deadline, **false),
        "revoked-period-over": verdict("revoked", appeal_until=deadline, appeal_period_over=True, **false),
        "revoked-appeal": verdict("revoked", appeal_until=deadline, open_appeal="AP-2026-000014", **false),
        "revoked-final": verdict("revoked", final=True, **false),
        "terminated": verdict("terminated"),
        "terminated-suspended": verdict(
            "terminated",
            suspended_since=at(2026, 7, 2),
            suspended_decision="AV-2026-000112",
            report_open_at_end="QJ-2026-000214",
        ),
        "expired": verdict("expired"),
        "expired-suspended": verdict(
            "expired", suspended_since=at(2026, 6, 2), suspended_decision="AV-2026-000112"
        ),
        "superseded": verdict("superseded", superseded_by=OTHER),
        "overturned": verdict(
            "active",
            overturned=(
                Overturned(
                    decision="AV-2026-000112",
                    appeal="AP-2026-000009",
                    at=at(2026, 8, 19),
                    suspended_from=at(2026, 7, 2),
                    suspended_to=at(2026, 8, 19),
                ),
            ),
        ),
        "unknown": verdict("unknown"),
    }


HISTORIES = {
    "active": (REINSTATED, SUSPENDED, ISSUED),
    "suspended": (SUSPENDED, ISSUED),
    "revoked": (
        Entry(
            sequence=2,
            step="revoke",
            at=at(2026, 7, 2),
            before="active",
            after="revoked",
            reason="false_declaration",
            statement=Text(es="Se declaró una versión distinta.", en="Another version was declared."),
            notice="AV-2026-000112",
            role="certifier",
            hash=HASH,
        ),
        ISSUED,
    ),
    "terminated": (
        Entry(
            sequence=2,
            step="terminate",
            at=at(2026, 7, 2),
            before="active",
            after="terminated",
            notice="AV-2026-000112",
            role="certifier",
            on_behalf=True,
            hash=HASH,
        ),
        ISSUED,
    ),
    "expired": (
        Entry(sequence=2, step="expire", at=at(2026, 7, 2), before="active", after="expired", hash=HASH),
        ISSUED,
    ),
    "superseded": (
        Entry(
            sequence=2,
            step="supersede",
            at=at(2026, 7, 2),
            before="active",
            after="superseded",
            other=OTHER,
            notice="AV-2026-000112",
            role="certifier",
            hash=HASH,
        ),
        ISSUED,
    ),
}
SCHEME = Scheme(
    code="HALU",
    version="1",
    sha256=HASH[::-1],
    title=Text(es="Alucinación en preguntas con fuente", en="Hallucination on sourced questions"),
    error=Text(
        es=(
            "Una respuesta es errónea si contradice el texto oficial o si lo que afirma no se sigue "
            "de la fuente que cita."
        ),
        en=(
            "An answer is wrong if it contradicts the official text, or if what it states does not "
            "follow from the source it cites."
        ),
    ),
    unmet_rules=("other_judge",),
)
EVIDENCE = Evidence(
    sha256=HASH,
    size=41_434_112,
    integrity="verified",
    checked_at=at(2026, 3, 30),
    verifier="1",
    access="members",
    members_total=6,
    sealed=True,
    members=(
        Member(path="data/evaluation.json", size=2316, sha256=HASH, downloadable=True),
        Member(
            path="data/items.jsonl",
            size=1_204_882,
            sha256=None,
            sealed=True,
            sealed_until=date(2027, 3, 27),
            commitment=HASH,
        ),
        Member(path="data/responses.jsonl", size=39_517_040, sha256=None, sealed=True, commitment=HASH[::-1]),
        Member(path="data/verdicts.jsonl", size=611_208, sha256=HASH, downloadable=True),
        Member(
            path="data/reviews.csv",
            size=9874,
            sha256=HASH,
            withheld=Text(es="contenía datos personales", en="it held personal data"),
        ),
        Member(path="data/catalogue.csv", size=88_431, sha256=HASH, downloadable=True),
    ),
)


def certificate(case: str = "active-suspended-before", **more: object) -> CertificatePage:
    told = verdicts()[case]
    made = figures()
    headline = next(
        f
        for f in made
        if (f.metric, f.denominator, f.group, f.category) == ("hallucination", "judged", None, None)
    )
    page = CertificatePage(
        frame=frame(),
        number=NUMBER,
        verdict=told,
        holder=Holder(
            name="Peumo Legal SpA", country="CL", identifier="76.123.456-0", identifier_kind="tax_number"
        ),
        system="Peumo Consulta",
        version="4.2.1",
        model_family="arrayán",
        scheme=SCHEME,
        issued_at=at(2026, 4, 14),
        valid_until=datetime(2028, 4, 14, tzinfo=CHILE),
        decision="AV-2026-000040",
        measured_at=at(2026, 3, 27),
        endpoint_kind="public_user_route",
        question_set=QuestionSet(
            name="normativa-cl",
            sha256=HASH,
            items=925,
            custodian="Universidad del Valle",
            holder_had_access="no",
            times_used_before=1,
            counted_before=2,
            seal=sample_sets.SEALED,
        ),
        corpus=Corpus(documents=16, articles=1173, as_of=date(2026, 3, 1)),
        judges=(Judge(id="j1", family="quillay", version="quillay-2026-05", temperature="0"),),
        groups=("es", "pt", "en", "gn", "qu", "arn", "ay"),
        figures=made,
        between=sample_measured.between(made),
        declared=(
            DeclaredFigure(
                metric="hallucination",
                denominator="judged",
                group=None,
                category=None,
                declared="0.0411",
                computed="0.041080",
                outcome="coincides",
            ),
        ),
        limitations=Limitations(
            kappa=Kappa(k=139, n=150, kappa="0.81", low="0.73", high="0.89", band="almost_perfect"),
            doubtful_reviewed=14,
            declared=(
                Text(
                    es="Las preguntas hostiles son pocas en quechua.",
                    en="Hostile questions are few in Quechua.",
                ),
            ),
        ),
        measurements=(
            Measurement(
                reference="M-2026-000058",
                measured_at=at(2026, 9, 4),
                frozen_at=at(2026, 9, 5),
                version="4.2.1",
                headline=figure("hallucination", "judged", 38, 849),
                evidence_sha256=HASH[::-1],
            ),
            Measurement(
                reference="M-2026-000019",
                measured_at=at(2026, 3, 27),
                frozen_at=at(2026, 3, 30),
                version="4.2.1",
                headline=headline,
                evidence_sha256=HASH,
                this_one=True,
                first=True,
            ),
        ),
        history=HISTORIES.get(told.status, HISTORIES["active"]),
        evidence=EVIDENCE,
        reports=(
            Report(
                number="QJ-2026-000214",
                kind="system_changed",
                state="closed",
                outcome="upheld",
                received_at=at(2026, 6, 20),
                decided_at=at(2026, 7, 1),
                reply=Text(es="Se corregirá.", en="It will be mended."),
            ),
        ),
        appeals=(APPEAL,),
    )
    return replace(page, **more)


def bare_certificate() -> CertificatePage:
    """The least that a certificate can say: one language, nothing optional, whole package public."""
    only = tuple(
        figure(metric, denominator, k, n, group=group)
        for group in ("es", None)
        for metric, denominator, k, n in (
            ("hallucination", "judged", 0, 12),
            ("hallucination", "all", 0, 14),
            ("accuracy", "all", 12, 14),
        )
    )
    return certificate(
        "active",
        groups=("es",),
        figures=only,
        declared=(),
        limitations=Limitations(catalogue=False),
        question_set=None,
        corpus=None,
        judges=(),
        endpoint_kind=None,
        reports=(),
        appeals=(),
        history=(ISSUED,),
        measurements=(),
        first_party=True,
        scheme=replace(SCHEME, unmet_rules=(), error=None, title=None),
        evidence=replace(
            EVIDENCE, access="open", downloadable=True, members=EVIDENCE.members[:1], members_total=1
        ),
    )


def with_threshold() -> CertificatePage:
    """A scheme with a criterion: threshold in the plot, outcome in words, groups that differ, people and judges."""
    apart = {**ANSWERS, "pt": (141, 16, 5, 24, 15, 0), None: (728, 69, 20, 35, 73, 1)}
    shown = figures(apart)
    clauses = (
        sample_measured.clause("hallucination", "judged", "0.10"),
        sample_measured.clause("abstention", "all", "0.15"),
        sample_measured.clause(
            "accuracy",
            "all",
            "0.60",
            scope="each_group",
            direction="at_least",
            required_groups=["es"],
        ),
    )
    return certificate(
        "active",
        figures=shown,
        threshold="0.100000",
        between=sample_measured.between(shown, reference="es"),
        criteria=sample_measured.decided(shown, sample_measured.contract(*clauses)),
        agreement=publishable.agreement(
            sample_measured.reviewed(REVIEWED, judges=("j1", "j2"), reviewers=("ana", "luis", "eva")), shown
        ),
        scheme=replace(SCHEME, descriptive=False, unmet_rules=()),
    )


def home(**more: object) -> HomePage:
    latest = (
        Decision(
            step="issue",
            at=at(2026, 11, 27),
            after="active",
            certificate=OTHER,
            notice="AV-2026-000181",
            system="Ventanilla",
            version="3.1.0",
            holder="Trámite Claro SAS",
            groups=4,
        ),
        Decision(
            step="suspend",
            at=at(2026, 11, 18),
            after="suspended",
            certificate="FEH-2025-000208-58",
            notice="AV-2026-000175",
            system="Guía Paciente",
            version="2.6.0",
            holder="Clínica Norte Digital SA",
            reason="remeasurement_overdue",
            review_on=date(2027, 1, 18),
        ),
        Decision(
            step="revoke",
            at=at(2026, 11, 16),
            after="revoked",
            certificate="FEH-2026-000096-22",
            notice="AV-2026-000172",
            system="Doctor Norma",
            version="1.9.2",
            holder="Ius Datos SL",
            reason="false_declaration",
            appeal_until=datetime(2026, 12, 17, tzinfo=CHILE),
        ),
        Decision(
            step="refuse",
            at=at(2026, 11, 12),
            after="unknown",
            certificate=None,
            notice="AV-2026-000170",
            system="Notario Virtual",
            version="6.2",
            holder="Notaría Clara Ltda.",
            reason="evidence_integrity",
        ),
        Decision(
            step="terminate",
            at=at(2026, 11, 3),
            after="terminated",
            certificate="FEH-2024-000033-82",
            notice="AV-2026-000166",
            system="Biblio Asistente",
            version="2.4.0",
            holder="Fundación Lectura Abierta",
            reason="holder_request",
        ),
    )
    census = {"active": 121, "suspended": 4, "revoked": 3, "expired": 11, "superseded": 6, "terminated": 1}
    return replace(HomePage(frame=frame(""), census=census, latest=latest), **more)


def listing(**more: object) -> ListPage:
    cases = verdicts()
    rows = tuple(
        Listed(
            number=number,
            verdict=cases[case],
            holder=holder,
            system=system,
            version=version,
            scheme="HALU-1",
            method="hallucination",
            issued_at=at(2026, 4, day),
            measured_at=at(2026, 3, day),
            groups=("es", "en", "pt"),
        )
        for number, case, holder, system, version, day in (
            (NUMBER, "active", "Peumo Legal SpA", "Peumo Consulta", "4.2.1", 14),
            (OTHER, "suspended-overdue", "Trámite Claro SAS", "Ventanilla", "3.1.0", 12),
            ("FEH-2026-000096-22", "revoked", "Ius Datos SL", "Doctor Norma", "1.9.2", 10),
            ("FEH-2024-000077-47", "expired", "Notaría Clara Ltda.", "Escritura Asistida", "5.0.2", 9),
            ("FEH-2025-000061-14", "superseded", "Trámite Claro SAS", "Ventanilla", "2.8.4", 8),
            (
                "FEH-2024-000033-82",
                "do-not-rely",
                "Fundación Lectura Abierta",
                "Biblio Asistente",
                "2.4.0",
                7,
            ),
        )
    )
    filters = (
        Filter(
            name="status",
            value="",
            choices=("active", "suspended", "revoked", "terminated", "expired", "superseded"),
        ),
        Filter(name="method", choices=("hallucination", "agent_run")),
        Filter(name="group", choices=("es", "en", "pt", "und")),
        Filter(name="holder", choices=("1", "2"), labels={"1": "Peumo Legal SpA", "2": "Trámite Claro SAS"}),
        Filter(name="scheme", choices=("HALU-1",)),
        Filter(name="year", value="2026", choices=("2026", "2025")),
    )
    page = ListPage(
        frame=frame("certificates/"),
        filters=filters,
        rows=rows,
        count=6,
        following="after=abc",
        earlier="before=abc",
    )
    return replace(page, **more)


def notice(**more: object) -> NoticePage:
    page = NoticePage(
        frame=frame("notices/AV-2026-000112/"),
        number="AV-2026-000112",
        step="suspend",
        at=at(2026, 7, 2),
        role="certifier",
        statement=SUSPENSION,
        certificate=NUMBER,
        verdict=verdicts()["active"],
        holder=Holder(name="Peumo Legal SpA"),
        system="Peumo Consulta",
        version="4.2.1",
        scheme=SCHEME,
        reason="system_changed",
        conditions=CONDITIONS,
        review_on=date(2026, 9, 30),
        appeal_until=datetime(2026, 8, 2, tzinfo=CHILE),
        later=("AV-2026-000151",),
        sequence=2,
        event_hash=HASH,
        appeal=APPEAL,
    )
    return replace(page, **more)


APPLICATION = Application(number="SOL-2026-000007", filed_at=at(2026, 11, 12), way="on_behalf")


def refusal() -> NoticePage:
    """A refusal has a notice and no certificate."""
    return notice(
        number="AV-2026-000170",
        step="refuse",
        certificate=None,
        verdict=None,
        application=APPLICATION,
        reason="evidence_integrity",
        conditions=(),
        review_on=None,
        later=(),
        sequence=None,
        event_hash="",
        appeal=None,
    )


def every_page() -> dict[str, tuple[str, object]]:
    """Name → (template, page): everything that the public can be shown."""
    pages: dict[str, tuple[str, object]] = {
        f"certificate-{case}": ("public/certificate.html", certificate(case)) for case in verdicts()
    }
    return (
        pages
        | sample_sets.every_page(frame(f"sets/{'c5' * 32}/"))
        | sample_cases.every_page(frame)
        | sample_runs.every_page(frame)
        | sample_comparisons.every_page(frame("compare/?first=M-117&second=M-151"))
        | {
            "certificate-bare": ("public/certificate.html", bare_certificate()),
            "certificate-threshold": ("public/certificate.html", with_threshold()),
            "certificate-digest-only": (
                "public/certificate.html",
                certificate("active", evidence=replace(EVIDENCE, access="digest_only")),
            ),
            "home": ("public/home.html", home()),
            "home-empty": ("public/home.html", home(census={}, latest=())),
            "list": ("public/certificates.html", listing()),
            "list-many": ("public/certificates.html", listing(count=1000, more_than=True, q="norma")),
            "list-empty": ("public/certificates.html", listing(rows=(), count=0, exists=False)),
            "list-filtered-out": ("public/certificates.html", listing(rows=(), count=0)),
            "list-not-found": (
                "public/certificates.html",
                listing(rows=(), count=0, q="Peumu", searched="words", suggestions=("Peumo Legal SpA",)),
            ),
            "list-no-number": (
                "public/certificates.html",
                listing(rows=(), count=0, q="FEH-2026-000999-11", searched="number"),
            ),
            "list-no-hash": (
                "public/certificates.html",
                listing(rows=(), count=0, q="ffffffff", searched="sha256"),
            ),
            "list-wrong-digit": (
                "public/certificates.html",
                listing(rows=(), count=0, q="FEH-2026-000117-57", searched="number", wrong_check_digit=True),
            ),
            "notice": ("public/notice.html", notice()),
            "notice-refusal": ("public/notice.html", refusal()),
            "notice-overturned": ("public/notice.html", notice(overturned_by="AV-2026-000140")),
            "statuses": ("public/statuses.html", StatusesPage(frame=frame("statuses/"))),
            "not-found": (
                "public/not_found.html",
                NotFoundPage(frame=frame("c/FEH-2026-000999-11/"), q="FEH-2026-000999-11"),
            ),
            "not-found-wrong-digit": (
                "public/not_found.html",
                NotFoundPage(frame=frame(f"c/{NUMBER}/"), q="FEH-2026-000117-57", wrong_check_digit=True),
            ),
        }
    )
