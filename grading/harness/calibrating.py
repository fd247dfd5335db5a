"""How far judges and people agree in one evaluation: `grading.reviews` over what the client measured."""

from collections import Counter
from typing import Any

from grading import reviews
from grading.harness import measuring
from grading.harness.measuring import Evaluation, Measured, Outcome
from grading.harness.scheme_files import Scheme
from grading.reviews import Reviewed


def of_package(evaluation: Evaluation, measured: Measured, scheme: Scheme) -> dict[str, Any]:
    """The agreement of the judges with the blind reviews in the package, as the registry tells it; {} without any."""
    first = measuring.first_runs(measured)
    numbers = {item: number for number, item in enumerate(first)}
    reviewed = [
        Reviewed(
            numbers[item],
            reviewer,
            reviews.code(verdict),
            reviews.code(first[item].verdict) if first[item].is_judged else 0,
            of_each(first[item]),
        )
        for item, reviewer, verdict in evaluation.reviews
    ]
    return reviews.agreement(
        reviewed,
        judges=evaluation.judges,
        between_judges=Counter(map(of_each, measured.outcomes)),
        judges_are_averaged=len(evaluation.judges) > 1 and scheme.averaged,
    )


def verdicts_of(measured: Measured) -> dict[str, str]:
    """The verdict of all judges together on each item that has one, in run 1 or in the first one handed in."""
    return {
        item: outcome.verdict for item, outcome in measuring.first_runs(measured).items() if outcome.is_judged
    }


def of_each(outcome: Outcome) -> tuple[int, ...]:
    """The verdict of each judge that counts, as codes of `reviews.VERDICTS`, 0 for none."""
    counts = not (outcome.hostile or outcome.abstained or outcome.invalid)
    return tuple(reviews.code(vote) if counts else 0 for vote in outcome.votes)
