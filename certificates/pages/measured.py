"""What the figures show beyond themselves: the groups among each other, as published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grading.figures import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class BetweenGroups:
    """One metric over one denominator: the entries of `grading.publishable.groups`, and the total they stand beside."""

    metric: str
    denominator: str
    homogeneity: Mapping[str, Any]
    gaps: Mapping[str, Any] | None = None  # None: the scheme declares no reference group
    worst: Mapping[str, Any] | None = None  # None: neither more nor less of it is worse
    macro: Mapping[str, Any] | None = None
    pooled: Figure | None = None
