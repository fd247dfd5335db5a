"""Counts requests in fixed windows, so that one client cannot take the registry from the others."""

import hashlib
import logging
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.core.cache import cache

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Rate:
    """Where one client stands under one policy: `remaining` of `quota` until `reset` seconds from now."""

    policy: str
    quota: int
    window: int
    remaining: int
    reset: int
    exceeded: bool

    @property
    def headers(self) -> dict[str, str]:
        """The fields of the IETF draft «RateLimit header fields for HTTP»."""
        return {
            "RateLimit-Policy": f'"{self.policy}";q={self.quota};w={self.window}',
            "RateLimit": f'"{self.policy}";r={self.remaining};t={self.reset}',
        }


def take(policy: str, client: str, *, at: datetime) -> Rate | None:
    """Count one request of `client` under `policy` (settings.API_RATES).

    None when the counters cannot be reached: reads and decisions go on without them.
    """
    quota, window = settings.API_RATES[policy]
    seconds = int(at.timestamp())
    number = seconds // window
    # Hashed: an address is not kept in clear, not even for a minute.
    name = hashlib.sha256(f"{settings.SECRET_KEY}:{policy}:{client}:{number}".encode()).hexdigest()[:32]
    try:
        cache.add(f"rate:{name}", 0, timeout=window + 5)
        count = cache.incr(f"rate:{name}")
    except ValueError:  # evicted between the two
        count = 1
    except Exception as error:  # whatever the cache's client raises when its server is away
        log.warning("request counters are not reachable: %s", type(error).__name__)
        return None
    return Rate(
        policy=policy,
        quota=quota,
        window=window,
        remaining=max(0, quota - count),
        reset=window - seconds % window,
        exceeded=count > quota,
    )
