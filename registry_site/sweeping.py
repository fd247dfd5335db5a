"""Takes what is due row by row: one that fails is told in the log, and keeps none of the others waiting."""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

from django.db import OperationalError

from registry_site.problems import Refusal

log = logging.getLogger(__name__)

Row = TypeVar("Row")


def each(rows: Iterable[Row], act: Callable[[Row], object]) -> int:
    """Ask `act` of each row, which is a transaction of its own; returns for how many it did something.

    What is refused or locked is left to the next sweep, and so is what fails.
    """
    done = 0
    for row in rows:
        try:
            done += bool(act(row))
        except Refusal:
            continue
        except OperationalError as error:
            # Someone is deciding on it just now.
            log.info("The sweep left %s to the next one: %s", _named(row), type(error).__name__)
        except Exception as error:
            # Of any kind: the others must still be taken. Without its text, which may hold what is to be erased.
            log.error("The sweep failed on %s: %s", _named(row), type(error).__name__)
    return done


def _named(row: object) -> str:
    """By its key: how a row calls itself may hold a name."""
    return f"{type(row).__name__} {getattr(row, 'pk', row)}"
