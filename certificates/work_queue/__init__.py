"""What the staff must do next, by deadline: one module per kind of matter, one that reads them all.

To add a kind: a value and its word in `matters`, a module that reads it, and its line in `reading.SOURCES`.
"""

from certificates.work_queue.matters import KIND_WORDS, Asked, Kind, Matter
from certificates.work_queue.reading import HANDS_WORDS, Filters, Hands, Period, Queue, read

__all__ = [
    "HANDS_WORDS",
    "KIND_WORDS",
    "Asked",
    "Filters",
    "Hands",
    "Kind",
    "Matter",
    "Period",
    "Queue",
    "read",
]
