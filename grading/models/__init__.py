"""Published schemes, sealed question sets and rubrics, frozen measurements, marks, calibrations and comparisons."""

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
from grading.models.rubric import Mark, MarkValue, Rubric, RubricDraft
from grading.models.scheme import Scheme

__all__ = [
    "Calibration",
    "Comparison",
    "ComparisonRequest",
    "Exposure",
    "Figure",
    "Mark",
    "MarkValue",
    "Measurement",
    "QuestionSet",
    "QuestionSetEvent",
    "RequestOrigin",
    "RequestState",
    "RevealedItems",
    "Rubric",
    "RubricDraft",
    "Scheme",
    "SetStep",
    "SetUse",
]
