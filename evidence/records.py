"""Reads the records of a package in the pass that checks it: the descriptor, then the files that its method has."""

from collections.abc import Iterable
from typing import Any, Protocol

from evidence import descriptor as descriptors
from evidence.descriptor import Descriptor
from evidence.findings import Code, Finding, Findings
from evidence.hallucination_records import HallucinationFiles
from evidence.record_files import ATTACHMENTS, Method, Whole
from evidence.run_files import RunFiles
from evidence.typed_json import shown

# The methods whose records this registry can read. Another one is added here, with its files, and in grading.methods.
METHODS: dict[str, type[Method]] = {"hallucination": HallucinationFiles, "agent_run": RunFiles}
# Read in this order: who may speak of what is known before the first one speaks.
_FIRST = (descriptors.PATH, *(path for method in METHODS.values() for path in method.FILES))


class SchemeOfAnotherMethod(ValueError):
    """Raised by an observer that begins: the scheme that the descriptor names measures another method."""


class Observer(Protocol):
    """Sees the records of a sound package as they pass; from the first finding on it sees nothing more.

    What it sees of them is the method's: `hallucination_records.Observer`, `run_files.Observer`.
    """

    def begin(self, descriptor: Descriptor, *, files: frozenset[str]) -> "Observer | None":
        """Who sees the records from now on; None: this one itself."""

    def finish(self, records: Any) -> tuple[Iterable[Finding], Iterable[Finding]]: ...


class Reader:
    """Reads descriptor and records of one package in the pass that checks it (`evidence.checking.check`).

    `schemes`: the known (code, version) pairs, or None when they are not to be checked. `observer` sees each record.
    Afterwards `descriptor` is typed (None when it has faults) and `records` holds what the method keeps of them.
    """

    def __init__(
        self,
        *,
        schemes: Iterable[tuple[str, str]] | None = None,
        methods: Iterable[str] = METHODS,
        observer: Observer | None = None,
    ) -> None:
        self.descriptor: Descriptor | None = None
        self.records: Any = None
        self.findings = Findings()
        self.warnings = Findings()
        self._schemes = None if schemes is None else frozenset(schemes)
        self._methods = frozenset(methods)
        self._observer = observer
        self._method: Method | None = None
        self._paths: frozenset[str] = frozenset()
        self._read: set[str] = set()
        self._sealed: frozenset[str] = frozenset()

    def order(self, paths: Iterable[str]) -> list[str]:
        """The order in which members are to be read: descriptor, records as they depend on each other, the rest."""
        paths = list(paths)
        self._paths = frozenset(paths)
        first = [path for path in _FIRST if path in self._paths]
        return first + [path for path in paths if path not in first]

    def consumer(self, path: str) -> Any | None:
        """What takes the bytes of a member in, asked just before they come; None: they are only hashed."""
        if not path.startswith("data/"):
            return None
        self._read.add(path)
        if path == descriptors.PATH:
            return Whole(self._take_descriptor, most=descriptors.MAX_BYTES)
        if self._method is None or path.startswith(ATTACHMENTS):
            return None
        return self._method.consumer(path)

    def finish(self) -> tuple[Findings, Findings]:
        """(findings, warnings) of descriptor and records, when every member has passed."""
        if descriptors.PATH not in self._read:
            self.find("DESCRIPTOR_MISSING", descriptors.PATH)
        if self._method is not None:
            for path in self._method.REQUIRED:
                if path not in self._read:
                    self.find("RECORDS_MISSING", path)
            for index, path in enumerate(self.descriptor.sealed or ()):
                if path not in self._read:
                    self.find(
                        "UNKNOWN_REFERENCE", descriptors.PATH, f"sealed[{index}]", "a member", shown(path)
                    )
            self._method.finish(frozenset(self._read))
        if self._observer is not None and self.descriptor is not None:
            findings, warnings = self._observer.finish(self.records)
            self.findings.extend(findings)
            self.warnings.extend(warnings)
        return self.findings, self.warnings

    def _take_descriptor(self, text: bytes | None) -> None:
        if text is None:
            self.find("LINE_TOO_LONG", descriptors.PATH, expected=f"<= {descriptors.MAX_BYTES}")
            return
        self.descriptor, faults = descriptors.read(text, methods=self._methods, schemes=self._schemes)
        for fault in faults:
            self.find(fault.code, descriptors.PATH, fault.key, fault.expected, fault.found)
        if self.descriptor is None:
            return
        if self.descriptor.method not in self._methods:
            # The records of a method that nobody here knows cannot be judged.
            self.descriptor = None
            return
        self._sealed = descriptors.sealed_members(self.descriptor)
        self._method = METHODS[self.descriptor.method](self, paths=self._paths)
        self.records = self._method.records
        if self.observer is not None:
            try:
                self._observer = self.observer.begin(self.descriptor, files=self._paths) or self._observer
            except SchemeOfAnotherMethod as other:
                found = shown(self.descriptor.method)
                self.find("VALUE_NOT_ALLOWED", descriptors.PATH, "method", str(other), found)

    @property
    def observer(self) -> Observer | None:
        """The observer, as long as nothing is wrong."""
        return None if self.findings else self._observer

    def find(
        self,
        code: str,
        member: str,
        key: str | None = None,
        expected: str | None = None,
        found: str | None = None,
    ) -> None:
        """Note a fault; of a sealed member never what was found there."""
        if member.partition(":")[0] in self._sealed:
            found = None
        self.findings.note(Code(code), member, key=key, expected=expected, found=found)
