"""Refuses what is written to stay when it says who complained, or in which words: those are erased, it is not."""

from django.utils.translation import gettext_lazy as _

from certificates import refusals, report_secrets
from certificates.models import Certificate, Report
from certificates.pages import Text


def require_kept(report: Report, **written: Text | str) -> None:
    """Each text by the field it is written in; `IncompleteDecision` names the field that gives something away."""
    contents = report.contents
    public = _names_in_public(report.certificate)
    for field, text in written.items():
        parts = {field: text} if isinstance(text, str) else {f"{field}.es": text.es, f"{field}.en": text.en}
        for name, one in parts.items():
            secret = report_secrets.found_in(
                one,
                name=contents.name,
                email=contents.email,
                texts=(contents.text, contents.review_text, contents.reply_text),
                public=public,
            )
            if secret is not None:
                raise refusals.IncompleteDecision(_TOLD[secret], code=secret.value, field=name)


def _names_in_public(certificate: Certificate | None) -> tuple[str, ...]:
    if certificate is None:
        return ()
    named = certificate.names
    system = named["system"]
    return certificate.number, f"{system} {named['version']}", system, named["holder"]["name"]


_TOLD = {
    report_secrets.Secret.NAME: _("It names whoever complained: write it without names."),
    report_secrets.Secret.EMAIL: _("It holds the e-mail address of whoever complained: leave it out."),
    report_secrets.Secret.WORDS: _(
        "It repeats what was written to us in confidence, word by word: say it in your own words."
    ),
}
