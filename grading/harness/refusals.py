"""Why the client stops: a code and its data; the words are in `texts`."""

from typing import Any


class Refused(Exception):
    """What was asked for cannot be done. `code` is stable; `data` fills the sentence; `faults` are told one by one."""

    def __init__(self, code: str, /, *, faults: list[dict[str, Any]] | None = None, **data: Any) -> None:
        super().__init__(code)
        self.code = code
        self.data = data
        self.faults = faults or []
