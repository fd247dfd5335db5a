"""Finds what an address names, in any spelling of its number, or says by name why there is nothing."""

from http import HTTPStatus

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from certificates import names, numbers
from certificates.models import Certificate
from registry_site.problems import Refusal


class CertificateNotFound(Refusal):
    code = "certificate_not_found"
    status = HTTPStatus.NOT_FOUND
    title = _("There is no certificate with that number")


class NoticeNotFound(Refusal):
    code = "notice_not_found"
    status = HTTPStatus.NOT_FOUND
    title = _("There is no notice with that number")


class NumberMistyped(Refusal):
    """The number has its shape, and its check digits do not fit."""

    code = "number_mistyped"
    status = HTTPStatus.NOT_FOUND
    title = _("That number has a typing error. Check the last two digits.")


def canonical_number(text: str) -> str:
    """The one spelling of a typed number. Raises CertificateNotFound or NumberMistyped."""
    try:
        return numbers.parse(text, prefix=settings.CERTIFICATE_PREFIX)
    except numbers.WrongCheckDigit as error:
        raise NumberMistyped() from error
    except numbers.NotANumber as error:
        raise CertificateNotFound() from error


def canonical_notice(text: str) -> str:
    """The one spelling of a typed notice number. Raises NoticeNotFound (a notice number has no check digits)."""
    try:
        return numbers.parse_notice_number(text)
    except numbers.NumberError as error:
        raise NoticeNotFound() from error


def certificate(text: str) -> Certificate:
    """The certificate of a typed number, with its parents. Raises CertificateNotFound or NumberMistyped."""
    found = names.certificates_with_parents().filter(number=canonical_number(text)).first()
    if found is None:
        raise CertificateNotFound()
    return found
