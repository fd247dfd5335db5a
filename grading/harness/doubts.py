"""Answers of which code cannot be sure whether they abstain: for a person to look at."""

from collections.abc import Iterable, Iterator

from grading import phrases
from grading.harness.measuring import Outcome, Reader

# An abstention is short; what is longer may answer after all.
_LONG_FOR_ABSTENTION = 600
# Words that stand in most abstentions and in some answers: not enough to decide, enough to look.
_UNSURE = (
    "no encuentr", "no encontr", "no dispongo", "no cuento con", "no puedo", "no tengo", "lamentablemente",
    "lo siento", "no figura", "no aparece", "no se menciona", "sorry", "unable to", "unfortunately", "cannot",
    "not mentioned", "not specified", "no information", "não encontr", "não posso", "infelizmente",
)  # fmt: skip


def doubtful(outcomes: Iterable[Outcome], reader: Reader) -> Iterator[tuple[str, int, str, str]]:
    """(item, run, why, answer) of each such answer. `outcomes` are those of code alone, as `reader` made them."""
    for outcome in outcomes:
        answer, language = outcome.response["answer"], outcome.item.get("language")
        place = outcome.item["id"], outcome.response.get("run", 1)
        if outcome.invalid:
            continue
        if not reader.has_phrases(language) and "abstained" not in outcome.response:
            yield *place, "no_phrase_list", answer
        elif outcome.abstained and (outcome.verified or len(answer) > _LONG_FOR_ABSTENTION):
            yield *place, "abstains_and_answers", answer
        elif not outcome.abstained and outcome.hostile and not outcome.rejected and not outcome.fabricated:
            yield *place, "neither_abstains_nor_rejects", answer
        elif (
            not outcome.abstained and not outcome.hostile and not outcome.verified and _sounds_unsure(answer)
        ):
            yield *place, "sounds_like_abstention", answer


def _sounds_unsure(answer: str) -> bool:
    text = phrases.folded(answer)
    return not text.strip() or any(word in text for word in _UNSURE)
