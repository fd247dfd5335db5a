"""Published schemes, sealed question sets, frozen measurements, their calibrations and comparisons."""

from grading.models.calibration import Calibration
from grading.models.comparison import Comparison, ComparisonRequest, RequestOrigin, RequestState
from grading.models.measurement import Figure, Measurement
from grading.models.question_set import (
    Exposure,
    QuestionSet,
    QuestionSetEvent,
    RevealedItems,
    SetStep,
    SetUse,
)
from grading.models.scheme import Scheme

__all__ = [
    "Calibration",
    "Comparison",
    "ComparisonRequest",
    "Exposure",
    "Figure",
    "Measurement",
    "QuestionSet",
    "QuestionSetEvent",
    "RequestOrigin",
    "RequestState",
    "RevealedItems",
    "Scheme",
    "SetStep",
    "SetUse",
]
