"""Plain factories of complaints: one that is confirmed, taken up, put to the holder, decided."""

from datetime import timedelta

from certificates import report_links, reports
from certificates.models import Certificate, Report, ReportDraft
from certificates.models.report import ReportLinkPurpose
from certificates.report_states import ReportKind
from registry_site import clock

TEXT = "La página dice 4.2.1, pero el servicio que se vende responde con otra versión."
EMAIL = "vecina@correo.example"
SUMMARY = {
    "es": "Se dice que el sistema que se ofrece no es la versión evaluada.",
    "en": "It is said that the system offered is not the version evaluated.",
}
REASONS = {"es": "Se comprobó en el sitio del titular.", "en": "It was established on the holder's site."}
REPLY = {"es": "La versión se cambió por error y se repuso.", "en": ""}


def sent(certificate: Certificate | None = None, **more) -> ReportDraft:
    facts = {
        "at": clock.now(),
        "kind": ReportKind.SYSTEM_CHANGED if certificate else ReportKind.MISUSE_BY_OTHERS,
        "certificate": certificate,
        "place": "" if certificate else "https://otra-empresa.example/",
        "text": TEXT,
        "name": "Violeta Vecina",
        "email": EMAIL,
        "language": "es",
    }
    return reports.send(**(facts | more))


def link_to_confirm(draft: ReportDraft):
    secret = report_links.to_confirm(draft, at=clock.now())
    return report_links.find(secret, purpose=ReportLinkPurpose.CONFIRM, at=clock.now())


def received(certificate: Certificate | None = None, **more) -> Report:
    return reports.confirm(link_to_confirm(sent(certificate, **more)), at=clock.now())


def with_holder(certificate: Certificate, by, **more) -> Report:
    report = received(certificate, **more)
    reports.take_up(report, by=by, at=clock.now())
    reports.ask_holder(report, by=by, at=clock.now(), summary=SUMMARY)
    return report


def replied(certificate: Certificate, by, *, published: bool = True, **more) -> Report:
    report = with_holder(certificate, by, **more)
    reports.reply(report, at=clock.now(), text=REPLY, published=published, link=link_to_reply(report))
    return report


def decided(certificate: Certificate, by, outcome: str = "upheld", *, looked_into_by=None, **more) -> Report:
    report = replied(certificate, looked_into_by or by, **more)
    decide(report, by, outcome)
    return report


def decide(report: Report, by, outcome: str = "upheld"):
    return reports.decide(report, by=by, at=clock.now(), outcome=outcome, reasons=REASONS)


def link_to_reply(report: Report):
    until = clock.now() + timedelta(days=1)
    secret = report_links.to_reply(report, until=until, at=clock.now())
    return report_links.find(secret, purpose=ReportLinkPurpose.REPLY, at=clock.now())


def link_to_follow(report: Report):
    secret = report_links.to_follow(report, at=clock.now())
    return report_links.find(secret, purpose=ReportLinkPurpose.FOLLOW, at=clock.now())
