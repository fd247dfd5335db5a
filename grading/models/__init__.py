"""Published schemes, the frozen measurements made under them, their calibrations and comparisons."""

from grading.models.calibration import Calibration
from grading.models.comparison import Comparison, ComparisonRequest, RequestOrigin, RequestState
from grading.models.measurement import Figure, Measurement
from grading.models.scheme import Scheme

__all__ = [
    "Calibration",
    "Comparison",
    "ComparisonRequest",
    "Figure",
    "Measurement",
    "RequestOrigin",
    "RequestState",
    "Scheme",
]
