"""Two measurements of the same questions, pair by pair: what changed, and whether it may be chance."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grading import statistics
from grading.figures import six_decimals
from grading.harness import question_sets
from grading.harness.measuring import Measured, Outcome
from grading.harness.packages import Package

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Pairs:
    """Of each pair both (a), only the first (b), only the second (c) or neither (d); `p_holm` over a family."""

    outcome: str
    group: str | None
    a: int
    b: int
    c: int
    d: int
    family: int = 1
    p_holm: float | None = None

    @property
    def n(self) -> int:
        return self.a + self.b + self.c + self.d

    @property
    def p(self) -> float | None:
        return statistics.mcnemar_exact(self.b, self.c) if self.n else None

    @property
    def decided_p(self) -> float | None:
        return self.p if self.p_holm is None else self.p_holm

    @property
    def least(self) -> int:
        """How many discordant pairs p < 0.05 needs in a family of this size."""
        return statistics.fewest_discordant(self.family)

    def as_json(self) -> dict[str, Any]:
        difference, low, high = statistics.newcombe_paired(self.a, self.b, self.c, self.d)
        mde = statistics.detectable_paired(self.b, self.c, self.n)
        return {
            "outcome": self.outcome,
            "group": self.group,
            "a": self.a,
            "b": self.b,
            "c": self.c,
            "d": self.d,
            "n": self.n,
            "p": self.p,
            "p_mid": statistics.mcnemar_mid_p(self.b, self.c) if self.n else None,
            "p_holm": self.p_holm,
            "difference": _signed(difference),
            "low": _signed(low),
            "high": _signed(high),
            "detectable": None if mde is None else six_decimals(mde),
            "can_reach": self.b + self.c >= self.least,
            "needed": self.least,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both measurements pair by pair. `worse`: in what the second is significantly worse, of exact and hallucinates."""

    first: Package
    second: Package
    same_set: bool
    n: int
    pairs: tuple[Pairs, ...]
    worse: tuple[str, ...]
    could_show: bool
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "first": _who(self.first),
            "second": _who(self.second),
            "same_set": self.same_set,
            "n": self.n,
            "pairs": [pairs.as_json() for pairs in self.pairs],
            "worse": list(self.worse),
            "could_show": self.could_show,
            "notes": list(self.notes),
        }


def differences(first: Package, second: Package) -> list[tuple[str, str, str]]:
    """What keeps two measurements from being compared: (field, first, second). Sets may differ, rules may not."""
    fields = {
        "scheme": lambda package: f"{package.scheme.code} {package.scheme.version}",
        "scheme.sha256": lambda package: package.scheme.sha256,
        "judges": lambda package: ", ".join(
            sorted(
                f"{judge['family']} {judge['version']}"
                for judge in package.evaluation.descriptor.get("judges", ())
            )
        ),
        "judging.eligibility": lambda package: str(_made(package, "judging", "eligibility")),
        **{
            f"files.{path}": lambda package, path=path: str(_made(package, "files", path))
            for path in sorted({*_prompts(first), *_prompts(second)})
        },
    }
    found = [(name, read(first), read(second)) for name, read in fields.items()]
    # What a package of another make does not say cannot differ.
    return [(name, a, b) for name, a, b in found if a != b and "None" not in (a, b)]


def compare(first: Package, second: Package, *, measured: tuple[Measured, Measured]) -> Comparison:
    """The paired comparison. Items are bound by their hash; equal ones in order of id."""
    notes = []
    sides = [_by_item(of) for of in measured]
    common = [key for key in sides[0] if key in sides[1]]
    same = measured[0].set_sha256 == measured[1].set_sha256
    couples = [(sides[0][key], sides[1][key]) for key in common]
    if any(len({outcome.response.get("run", 1) for outcome in of.outcomes}) > 1 for of in measured):
        notes.append("first_run_only")
    bases = Counter(one.item["item_base"] for one, _ in couples if one.item.get("item_base"))
    if any(count > 1 for count in bases.values()):
        notes.append("shared_bases")
    pairs = list(_all_pairs(couples))
    decisive = [pair for pair in pairs if pair.group is None and pair.outcome in ("exact", "hallucinates")]
    adjusted = statistics.holm([pair.p for pair in decisive])
    worse = tuple(
        pair.outcome
        for pair, p in zip(decisive, adjusted, strict=True)
        if p is not None and p < LEVEL and (pair.b > pair.c) == (pair.outcome == "exact")
    )
    could = any(pair.b + pair.c >= statistics.fewest_discordant(len(decisive)) for pair in decisive)
    return Comparison(first, second, same, len(common), tuple(pairs), worse, could, tuple(notes))


def _all_pairs(couples: list[tuple[Outcome, Outcome]]) -> Iterator[Pairs]:
    for name, counts, succeeds in _OUTCOMES:
        chosen = [(one, other) for one, other in couples if counts(one)]
        if not chosen:
            continue
        yield _pairs(name, None, chosen, succeeds)
        groups = sorted({one.group for one, _ in chosen})
        if len(groups) < 2:
            continue
        by_group = [
            _pairs(name, group, [pair for pair in chosen if pair[0].group == group], succeeds)
            for group in groups
        ]
        adjusted = statistics.holm([pairs.p for pairs in by_group])
        for pairs, p in zip(by_group, adjusted, strict=True):
            yield Pairs(name, pairs.group, pairs.a, pairs.b, pairs.c, pairs.d, family=len(groups), p_holm=p)


def _pairs(
    name: str, group: str | None, couples: list[tuple[Outcome, Outcome]], succeeds: Callable[[Outcome], bool]
) -> Pairs:
    counted = Counter((succeeds(one), succeeds(other)) for one, other in couples)
    return Pairs(
        name, group, counted[True, True], counted[True, False], counted[False, True], counted[False, False]
    )


# Which outcomes are compared, over which answers, and what counts as the outcome.
_OUTCOMES: tuple[tuple[str, Callable[[Outcome], bool], Callable[[Outcome], bool]], ...] = (
    ("exact", lambda outcome: not outcome.hostile, lambda outcome: outcome.verdict == "exact"),
    ("hallucinates", lambda outcome: not outcome.hostile, lambda outcome: outcome.hallucinates),
    (
        "unnecessary_abstention",
        lambda outcome: (
            not outcome.hostile and outcome.item["in_corpus"] and not outcome.item["abstention_correct"]
        ),
        lambda outcome: outcome.abstained,
    ),
    (
        "necessary_abstention",
        lambda outcome: outcome.item["abstention_correct"],
        lambda outcome: outcome.abstained,
    ),
)


def _by_item(measured: Measured) -> dict[tuple[str, int], Outcome]:
    """The first run of each item by item hash; equal items are told apart by their place in order of id."""
    first: dict[str, Outcome] = {}
    for outcome in measured.outcomes:
        known = first.get(outcome.item["id"])
        if known is None or outcome.response.get("run", 1) < known.response.get("run", 1):
            first[outcome.item["id"]] = outcome
    seen: Counter[str] = Counter()
    found = {}
    for id_ in sorted(first):
        digest = question_sets.item_sha256(first[id_].item)
        found[digest, seen[digest]] = first[id_]
        seen[digest] += 1
    return found


def _made(package: Package, part: str, key: str) -> Any:
    inside = package.run.get("fingerprint")
    inside = inside.get(part) if isinstance(inside, Mapping) else None
    return inside.get(key) if isinstance(inside, Mapping) else None


def _prompts(package: Package) -> list[str]:
    inside = package.run.get("fingerprint")
    files = inside.get("files") if isinstance(inside, Mapping) else None
    return [path for path in files if "judge/" in path] if isinstance(files, Mapping) else []


def _who(package: Package) -> dict[str, Any]:
    descriptor = package.evaluation.descriptor
    return {
        "package": package.sha256,
        "system": descriptor["system"]["name"],
        "version": descriptor["system"]["version"],
        "measured_at": descriptor["measured_at"],
    }


def _signed(value: float | None) -> str | None:
    if value is None:
        return None
    return f"-{six_decimals(-value)}" if value < 0 else six_decimals(value)
