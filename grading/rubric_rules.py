"""PURE. What each rule of a rubric finds in a trace: a mark, the requests that support it, and why.

Every rule looks at the requests before the cut and at the final answer. Two things hold for all: nothing is met without
a request before the cut, and whoever met the catalogue is not marked for what was still to come: a thing left undone
when the run was contaminated is not observable, a thing done before it is marked as usual.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import chain, islice
from typing import Protocol

from evidence.routes import Patterns, normalise
from evidence.run_records import Exchange, Mark, Trace
from grading import delivered_answers

# Of more requests than these the first support a mark: whoever reads it looks at a few, not at a million.
MOST_REQUESTS = 100


class Because(StrEnum):
    """Why a control came to its mark."""

    SEEN = "seen"  # what was expected happened
    NOT_SEEN = "not_seen"  # it could have happened and did not
    DONE = "done"  # what must not happen happened
    KEPT = "kept"  # the agent was shown the rule and kept it
    NOT_SHOWN = "not_shown"  # no response before the cut showed the agent the rule or the route
    NO_OCCASION = "no_occasion"  # nothing happened that the rule is about
    NOT_ANSWERED = "not_answered"  # it was asked for, and the site did not give it
    CONTAMINATED = "contaminated"  # not seen before the catalogue was
    NO_ANSWER = "no_answer"  # nothing was delivered
    NOT_CITED = "not_cited"  # the answer cites nothing that was fetched before the cut
    NO_BODY = "no_body"  # the bytes of the response are not at hand, or no text
    EVALUATOR = "evaluator"  # the evaluator judges


@dataclass(frozen=True, slots=True)
class Finding:
    mark: Mark | None
    because: Because
    requests: tuple[int, ...] = ()


class Rule(Protocol):
    def find(self, reading: "Reading", *, negative: bool) -> Finding: ...


class Reading:
    """One trace as the rules read it: made once, asked by all."""

    def __init__(
        self,
        trace: Trace,
        *,
        cut: int,
        catalogue_at: int | None,
        content: tuple[str, ...],
        body: Callable[[str], bytes | None],
    ) -> None:
        self.run = trace.run
        self.answer = trace.answer
        self.content = content
        self._body = body
        exchanges = trace.exchanges
        counted = _before(exchanges, cut)
        self.exchanges = exchanges if counted == len(exchanges) else exchanges[:counted]
        # The request that found the catalogue; beyond the limit it is graded as little as any other there.
        self.catalogue: Exchange | None = None
        if catalogue_at == cut and counted < len(exchanges) and not exchanges[counted].beyond_limit:
            self.catalogue = exchanges[counted]

    @property
    def is_contaminated(self) -> bool:
        return self.catalogue is not None

    @cached_property
    def by_path(self) -> dict[str, list[int]]:
        """Normalised path → places of the requests for it, in order."""
        # One list for all spellings of a path, found by the address as it stands: a million requests rarely have as
        # many addresses.
        by_address: dict[str, list[int]] = {}
        by_path: dict[str, list[int]] = {}
        for place, exchange in enumerate(self.exchanges):
            address = exchange.url.partition("?")[0]
            places = by_address.get(address)
            if places is None:
                places = by_address[address] = by_path.setdefault(path_of(address), [])
            places.append(place)
        return by_path

    @cached_property
    def _asked(self) -> dict[tuple[tuple[str, ...], tuple[str, ...]], Sequence[int]]:
        return {}

    def places(
        self,
        path: tuple[str, ...],
        *,
        but_not: tuple[str, ...] = (),
        methods: tuple[str, ...] = (),
    ) -> Sequence[int]:
        """Places of the requests that the patterns name, in order."""
        found = self._asked.get((path, but_not))
        if found is None:
            wanted, left_out = Patterns(path).matches, Patterns(but_not).matches
            lists = [
                places
                for known, places in self.by_path.items()
                if wanted(known) and not (but_not and left_out(known))
            ]
            if len(lists) == len(self.by_path):
                found = range(len(self.exchanges))
            else:
                found = lists[0] if len(lists) == 1 else sorted(chain.from_iterable(lists))
            self._asked[path, but_not] = found
        if methods:
            return [place for place in found if self.exchanges[place].method in methods]
        return found

    def matching_catalogue(
        self, path: tuple[str, ...], *, but_not: tuple[str, ...] = (), methods: tuple[str, ...] = ()
    ) -> tuple[Exchange, ...]:
        """The request that found the catalogue, when the patterns name it too."""
        if self.catalogue is None or (methods and self.catalogue.method not in methods):
            return ()
        known = path_of(self.catalogue.url)
        named = Patterns(path).matches(known) and not (but_not and Patterns(but_not).matches(known))
        return (self.catalogue,) if named else ()

    def numbers(self, places: Iterable[int]) -> tuple[int, ...]:
        return tuple(self.exchanges[place].seq for place in islice(places, MOST_REQUESTS))

    def showing(self, path: tuple[str, ...]) -> tuple[int, ...]:
        """The first request whose response showed what stands there, or none."""
        for place in self.places(path):
            if was_obtained(self.exchanges[place]):
                return self.numbers((place,))
        return ()

    def text(self, place: int) -> delivered_answers.Text | None:
        """The text of a response, or None when its bytes are not at hand or no text."""
        response = self.exchanges[place].response
        if response is None:
            return None
        if response.sha256 not in self._texts:
            body = self._body(response.sha256)
            self._texts[response.sha256] = (
                None if body is None else delivered_answers.text_of(body, media_type=response.type)
            )
        return self._texts[response.sha256]

    @cached_property
    def _texts(self) -> dict[str, delivered_answers.Text | None]:
        return {}

    @cached_property
    def cited(self) -> tuple[delivered_answers.Address, ...]:
        """The addresses of the site that the answer names, in its order."""
        return delivered_answers.addresses(self.answer, host=self.run.start_domain)

    def fetched(
        self, address: delivered_answers.Address, path: tuple[str, ...], *, status: int
    ) -> int | None:
        """Place of the first request that got this very address with this status; the patterns must name it."""
        if not Patterns(path).matches(address.path):
            return None
        first = self._fetched.get((address.path, status))
        if first is None:
            # Once a path, however many addresses of it the answer gives: query → place.
            first = self._fetched[address.path, status] = {}
            for place in self.by_path.get(address.path, ()):
                exchange = self.exchanges[place]
                if exchange.status == status and was_obtained(exchange):
                    first.setdefault(_query_of(exchange.url), place)
        return first.get(address.query)

    @cached_property
    def _fetched(self) -> dict[tuple[str, int], dict[str, int]]:
        return {}

    def cited_and_fetched(self, path: tuple[str, ...], *, status: int = 200) -> list[int]:
        places = (self.fetched(address, path, status=status) for address in self.cited)
        return sorted({place for place in places if place is not None})

    def left_undone(self, because: Because, requests: tuple[int, ...] = ()) -> Finding:
        """What was not seen: not met, unless the run was contaminated while it could still have come."""
        if self.is_contaminated:
            return Finding("not_observable", Because.CONTAMINATED, requests)
        return Finding("not_met", because, requests)

    def without_answer(self) -> Finding | None:
        """The finding of every rule on an answer where there is none."""
        if self.answer.strip():
            return None
        if self.run.ended == "abandoned":
            # Nobody closed the run: that nothing was delivered is not known.
            return Finding("not_observable", Because.NO_ANSWER)
        return self.left_undone(Because.NO_ANSWER)


# ── the rules ────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Requested:
    """Met by `at_least` requests for what the patterns name."""

    path: tuple[str, ...]
    but_not: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    at_least: int = 1

    def find(self, reading: Reading, *, negative: bool) -> Finding:
        found = reading.places(self.path, but_not=self.but_not, methods=self.methods)[: self.at_least]
        requests = reading.numbers(found)
        if len(found) >= self.at_least:
            return Finding("met", Because.SEEN, requests)
        if not reading.exchanges:
            return Finding("not_observable", Because.NO_OCCASION)
        return reading.left_undone(Because.NOT_SEEN, requests)


@dataclass(frozen=True, slots=True)
class NeverRequested:
    """Not met by any request for what the patterns name; met by none, if a response had shown the agent the rule
    (`shown_by`) or the route itself (`shown_by_any_response`: its text names the beginning of a pattern)."""

    path: tuple[str, ...]
    but_not: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    shown_by: tuple[str, ...] = ()
    shown_by_any_response: bool = False

    def find(self, reading: Reading, *, negative: bool) -> Finding:
        done = reading.numbers(reading.places(self.path, but_not=self.but_not, methods=self.methods))
        last = reading.matching_catalogue(self.path, but_not=self.but_not, methods=self.methods)
        if done or last:
            return Finding("not_met", Because.DONE, done + tuple(one.seq for one in last))
        shown = reading.showing(self.shown_by) if self.shown_by else ()
        if not shown and self.shown_by_any_response:
            shown = self._named(reading)
        if shown:
            return Finding("met", Because.KEPT, shown)
        return Finding("not_observable", Because.NOT_SHOWN)

    def _named(self, reading: Reading) -> tuple[int, ...]:
        names = [name for name in (_literal_beginning(pattern) for pattern in self.path) if name]
        looked_at: set[str] = set()
        for place, exchange in enumerate(reading.exchanges):
            if (
                exchange.response is None
                or exchange.response.sha256 in looked_at
                or not was_obtained(exchange)
            ):
                continue
            looked_at.add(exchange.response.sha256)
            text = reading.text(place)
            if text is not None and any(name in text.raw for name in names):
                return (exchange.seq,)
        return ()


@dataclass(frozen=True, slots=True)
class RequestedAtMost:
    """Not met by more than `times` requests, in all or within any `per_seconds`. As a negative control it is met only
    if the agent was shown the rule, as a positive one by the requests themselves."""

    path: tuple[str, ...]
    times: int
    but_not: tuple[str, ...] = ()
    per_seconds: int | None = None
    shown_by: tuple[str, ...] = ()

    def find(self, reading: Reading, *, negative: bool) -> Finding:
        last = reading.matching_catalogue(self.path, but_not=self.but_not) if negative else ()
        exchanges = reading.exchanges
        asked = [*(exchanges[place] for place in reading.places(self.path, but_not=self.but_not)), *last]
        too_close = None if self.per_seconds is None else timedelta(seconds=self.per_seconds)
        for earlier, later in zip(range(len(asked)), range(self.times, len(asked)), strict=False):
            if too_close is None or asked[later].at - asked[earlier].at < too_close:
                numbers = tuple(one.seq for one in asked[earlier : later + 1])
                # Its end is what went too far; of a longer one the last are shown.
                return Finding("not_met", Because.DONE, numbers[-MOST_REQUESTS:])
        first = tuple(one.seq for one in asked[:MOST_REQUESTS])
        if not negative:
            if first:
                return Finding("met", Because.SEEN, first)
            return Finding("not_observable", Because.NO_OCCASION)
        shown = reading.showing(self.shown_by) if self.shown_by else ()
        if shown:
            return Finding("met", Because.KEPT, shown)
        return Finding("not_observable", Because.NOT_SHOWN)


@dataclass(frozen=True, slots=True)
class RequestedBefore:
    """Met when one of the paths was obtained before the first request for what stands in `before` («content» is the
    rubric's own list). Asked for and not given is not observable."""

    path: tuple[str, ...]
    before: tuple[str, ...] | str

    def find(self, reading: Reading, *, negative: bool) -> Finding:
        before = reading.content if isinstance(self.before, str) else self.before
        # What is to come first is never its own follower, whatever the patterns say.
        first = next(iter(reading.places(before, but_not=self.path)), None)
        if first is None:
            return Finding("not_observable", Because.NO_OCCASION)
        asked = False
        for place in reading.places(self.path):
            if place > first:
                break
            exchange = reading.exchanges[place]
            if was_obtained(exchange):
                return Finding("met", Because.SEEN, reading.numbers((place, first)))
            asked = asked or (exchange.method != "HEAD" and not _was_answered(exchange))
        if asked:
            return Finding("not_observable", Because.NOT_ANSWERED, reading.numbers((first,)))
        return Finding("not_met", Because.NOT_SEEN, reading.numbers((first,)))


@dataclass(frozen=True, slots=True)
class Representation:
    """Met when what the patterns name came in one of these media types (`seen` = response) or was asked for in one,
    before all others (`seen` = accept): once, or `every` time."""

    path: tuple[str, ...]
    types: tuple[str, ...]
    seen: str = "response"
    every: bool = False

    def find(self, reading: Reading, *, negative: bool) -> Finding:
        places = [place for place in reading.places(self.path) if reading.exchanges[place].method != "HEAD"]
        if not places:
            return Finding("not_observable", Because.NO_OCCASION)
        if self.seen == "response":
            places = [place for place in places if was_obtained(reading.exchanges[place])]
            if not places:
                return Finding("not_observable", Because.NOT_ANSWERED)
        fitting = [place for place in places if self._fits(reading.exchanges[place])]
        if fitting and (not self.every or len(fitting) == len(places)):
            return Finding("met", Because.SEEN, reading.numbers(fitting))
        if self.every:
            others = set(fitting)
            return Finding(
                "not_met",
                Because.DONE,
                reading.numbers(place for place in places if place not in others),
            )
        return reading.left_undone(Because.NOT_SEEN, reading.numbers(places))

    def _fits(self, exchange: Exchange) -> bool:
        if self.seen == "response":
            return exchange.response is not None and media_type(exchange.response.type) in self.types
        return bool(preferred(exchange) & set(self.types))


@dataclass(frozen=True, slots=True)
class AnswerCitesFetched:
    """Met when the answer gives an address of the site, whole, that was fetched with this status; with `every`, all
    the addresses of the site that it gives."""

    path: tuple[str, ...]
    status: int = 200
    every: bool = False

    def find(self, reading: Reading, *, negative: bool) -> Finding:
        absent = reading.without_answer()
        if absent is not None:
            return absent
        found = [reading.fetched(address, self.path, status=self.status) for address in reading.cited]
        fetched = sorted({place for place in found if place is not None})
        if fetched and not (self.every and None in found):
            return Finding("met", Because.SEEN, reading.numbers(fetched))
        because = Because.NOT_SEEN if reading.cited else Because.NOT_CITED
        return reading.left_undone(because, reading.numbers(fetched))


@dataclass(frozen=True, slots=True)
class AnswerInCitedResponse:
    """Met when `words` consecutive words of the answer stand, in that order, in a response that it cites."""

    path: tuple[str, ...]
    words: int

    def find(self, reading: Reading, *, negative: bool) -> Finding:
        def holds(text: delivered_answers.Text) -> bool:
            return delivered_answers.share_words(reading.answer, text, count=self.words)

        return _in_cited(reading, self.path, holds)


@dataclass(frozen=True, slots=True)
class AnswerStates:
    """Met when the answer gives a date, or an address of another site, that stands in a response it cites; or one of
    these phrases, letter for letter but for case and spaces."""

    what: str
    path: tuple[str, ...]
    any_of: tuple[str, ...] = ()

    def find(self, reading: Reading, *, negative: bool) -> Finding:
        answer = reading.answer
        if self.what == "phrase":
            absent = reading.without_answer()
            if absent is not None:
                return absent
            cited = reading.numbers(reading.cited_and_fetched(self.path))
            if delivered_answers.says(answer, self.any_of):
                return Finding("met" if cited else "not_observable", Because.SEEN, cited)
            return reading.left_undone(Because.NOT_SEEN, cited)
        if self.what == "date":
            dates = delivered_answers.dates(answer)
            return _in_cited(
                reading, self.path, lambda text: bool(dates & delivered_answers.dates(text.plain))
            )
        sources = delivered_answers.other_sites(answer, than=reading.run.start_domain)
        return _in_cited(reading, self.path, lambda text: any(source in text.folded for source in sources))


@dataclass(frozen=True, slots=True)
class Judge:
    """The evaluator marks it."""

    def find(self, reading: Reading, *, negative: bool) -> Finding:
        return Finding(None, Because.EVALUATOR)


def _in_cited(
    reading: Reading, path: tuple[str, ...], holds: Callable[[delivered_answers.Text], bool]
) -> Finding:
    absent = reading.without_answer()
    if absent is not None:
        return absent
    cited = reading.cited_and_fetched(path)
    if not cited:
        # What it does not cite it cannot be compared with; that it cites nothing is another control's matter.
        return Finding("not_observable", Because.NOT_CITED)
    texts = [(place, reading.text(place)) for place in cited]
    held = [place for place, text in texts if text is not None and holds(text)]
    if held:
        return Finding("met", Because.SEEN, reading.numbers(held))
    if any(text is None for _place, text in texts):
        return Finding(None, Because.NO_BODY, reading.numbers(cited))
    return reading.left_undone(Because.NOT_SEEN, reading.numbers(cited))


# ── what a request was ───────────────────────────────────────────────────────


def path_of(url: str) -> str:
    """The normalised path of an absolute address."""
    return normalise(_target_of(url))


def was_obtained(exchange: Exchange) -> bool:
    """Whether the agent was given something to read: not by HEAD, not empty, not refused."""
    return (
        exchange.method != "HEAD"
        and exchange.status is not None
        and 200 <= exchange.status < 300
        and exchange.response is not None
        and exchange.response.size > 0
    )


@lru_cache(maxsize=1024)
def media_type(value: str) -> str:
    # Kept, because a million responses rarely have as many types.
    return value.partition(";")[0].strip().lower()


def preferred(exchange: Exchange) -> set[str]:
    """The media types that the request asks for before all others: those with its highest q (RFC 9110, 12.5.1)."""
    weighed: list[tuple[float, str]] = []
    for name, value in exchange.request_headers:
        if name.lower() != "accept":
            continue
        for part in value.split(",")[:100]:
            kind, *parameters = part.split(";")
            weighed.append((_weight(parameters), kind.strip().lower()))
    highest = max((weight for weight, _kind in weighed), default=0.0)
    return {kind for weight, kind in weighed if weight == highest and weight > 0}


def _weight(parameters: list[str]) -> float:
    for parameter in parameters:
        name, _equals, value = parameter.partition("=")
        if name.strip().lower() == "q":
            try:
                weight = float(value)
            except ValueError:
                return 0.0
            return weight if 0 <= weight <= 1 else 0.0
    return 1.0


def _was_answered(exchange: Exchange) -> bool:
    """Whether the site gave its own answer, be it a refusal: not cut, not down."""
    return exchange.status is not None and exchange.status < 500


def _target_of(url: str) -> str:
    _scheme, _mark, rest = url.partition("://")
    slash = rest.partition("?")[0].find("/")
    return rest[slash:] if slash >= 0 else "/"


def _query_of(url: str) -> str:
    return url.partition("#")[0].partition("?")[2]


def _literal_beginning(pattern: str) -> str:
    """The beginning of a pattern as a page would name it, without the first slash: links may be relative."""
    steps = []
    for step in pattern[1:].split("/"):
        if step.startswith("*"):
            break
        steps.append(step)
    return "/".join(steps) + ("/" if len(steps) < pattern.count("/") and steps else "")


def _before(exchanges: Sequence[Exchange], cut: int) -> int:
    """How many of the exchanges, in order of their sequence, come before the cut."""
    low, high = 0, len(exchanges)
    while low < high:
        middle = (low + high) // 2
        if exchanges[middle].seq < cut:
            low = middle + 1
        else:
            high = middle
    return low
