"""Published schemes, the frozen measurements made under them, and their comparisons."""

from grading.models.comparison import Comparison, ComparisonRequest, RequestOrigin, RequestState
from grading.models.measurement import Figure, Measurement
from grading.models.scheme import Scheme

__all__ = [
    "Comparison",
    "ComparisonRequest",
    "Figure",
    "Measurement",
    "RequestOrigin",
    "RequestState",
    "Scheme",
]
