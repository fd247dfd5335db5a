"""Published schemes, and the frozen measurements made under them."""

from grading.models.measurement import Figure, Measurement
from grading.models.scheme import Scheme

__all__ = ["Figure", "Measurement", "Scheme"]
