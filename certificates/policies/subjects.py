"""What a decision or an appeal is about: the measurement, and whose system it measured."""

from certificates.models import Appeal, Notice
from evidence.models import Holder
from grading.models import Measurement


def holder_of(notice: Notice) -> Holder:
    """Whose system a decision is about."""
    return measured(notice).system_version.system.holder


def measured(notice: Notice) -> Measurement:
    return notice.measurement or notice.certificate.measurement


def measurement_of(appeal: Appeal) -> Measurement:
    """What the appealed decision was about in the end."""
    return appeal.certificate.measurement if appeal.certificate else appeal.notice.measurement
