"""Passage reranking with a chat model that sees two passages at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from contracts.errors import MalformedReply, Unavailable
from contracts.text import Passage
from contracts.verdicts import Reranked
from tools.chat.errors import ChatRefused
from tools.concurrency import run_concurrently
from tools.judges import PromptedJudge
from tools.prompt_delimiters import delimit_text
from tools.prompt_prefix import place_of
from tools.prompted_model import Inquiry

# Two passages, in the order in which they are shown.
Pair = tuple[int, int]

# Fewer passages than this are all compared with each other; this many or more are halved first. Source: passage
# reranking of IBM's library of LLM intrinsics for RAG (arXiv 2504.11704, section 6.1).
FIRST_TOURNAMENT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A pair and the probability, in [0, 1], that its first passage is better; 0.5 if undecided."""

    pair: Pair
    first_is_better: float


def all_pairs(standing: Sequence[int]) -> tuple[Pair, ...]:
    """Return each pair of ``standing`` once; each passage is shown first in half of its pairs.

    Models prefer one position, the first or the second; over all pairs of a passage, this cancels out without extra
    calls. With an even number, passages in the better half are shown first once more often than the others.
    """
    number = len(standing)
    return tuple(
        (standing[low], standing[high]) if 2 * (high - low) <= number else (standing[high], standing[low])
        for low, high in combinations(range(number), 2)
    )


def round_pairs(standing: Sequence[int]) -> tuple[Pair, ...]:
    """Pair the first of ``standing`` with the last, and so on inwards; with an odd number, the first has a bye.

    ``standing`` is in the original order, so that the best search results meet late. The higher-ranked passage is shown
    first in every other pair.
    """
    playing = standing[len(standing) % 2 :]
    pairs = [(playing[place], playing[-1 - place]) for place in range(len(playing) // 2)]
    return tuple(pair if place % 2 == 0 else pair[::-1] for place, pair in enumerate(pairs))


def losers(compared: Sequence[Compared]) -> tuple[int, ...]:
    """Return the loser of each pair, in the original order; in an undecided pair, the lower-ranked passage."""
    out = []
    for each in compared:
        first, second = each.pair
        if each.first_is_better == 0.5:
            out.append(max(each.pair))
        else:
            out.append(second if each.first_is_better > 0.5 else first)
    return tuple(sorted(out))


def by_wins(standing: Sequence[int], compared: Sequence[Compared]) -> tuple[int, ...]:
    """Order ``standing`` by wins, counting an undecided comparison as half a win for both.

    Passages with equal wins are ordered by the sum of their probabilities, and then by search rank.
    """
    wins = dict.fromkeys(standing, 0.0)
    sums = dict.fromkeys(standing, 0.0)
    for each in compared:
        shares = (each.first_is_better, 1.0 - each.first_is_better)
        for index, share in zip(each.pair, shares, strict=True):
            wins[index] += 0.5 if share == 0.5 else float(share > 0.5)
            sums[index] += share
    # Round the sums, because the same numbers added in a different order differ in the last digits.
    return tuple(sorted(standing, key=lambda index: (-wins[index], -round(sums[index], 9), index)))


# Few words begin with these letters: a refusal may begin with "A", but is unlikely to begin with one of these.
LABELS = ("X", "Y")
# Most passages are half as long; each prompt contains two.
_MAX_PASSAGE_CHARACTERS = 2_000
# The maximum number of concurrent requests.
_AT_ONCE = 16


class PromptedPassageReranker(PromptedJudge):
    """Orders passages by comparing two at a time; the probability of one token decides each comparison.

    Up to nine passages are all compared with each other and ordered by wins. Ten or more play a tournament, paired by
    the original order: each round eliminates half of them, until nine or fewer remain, which are all compared with each
    other. The eliminated passages follow, later rounds first, each round in search order, so the ranking is complete.
    Up to nine passages need n (n - 1) / 2 comparisons, at most 36; more need at most n + 27, such as 15 in two rounds
    for ten, or 50 in three rounds for thirty. A comparison is one call, or two if the first reply is unreadable; a few
    run at once.

    Each pair is shown in one order only, because both orders would take twice as many calls. To balance a model's
    preference for one position, a passage is shown first in half of its pairs among the last nine, and the
    higher-ranked one in every other pair of a round. If a server returns no log-probabilities, the word alone decides.
    If the server refuses a comparison, or no reply is readable, it is a draw; the provenance counts the draws. Text
    that confuses the model thus gains nothing over the search order. A round with only draws is an error.

    Source: passage reranking of IBM's library of LLM intrinsics for RAG (arXiv 2504.11704, section 6.1): pairs and win
    counts below 10 passages, a tournament above, one token per reply. There, only the winners of a tournament are
    returned, and the last of an odd number is dropped.
    """

    max_tokens = 16

    async def rerank(self, question: str, passages: Sequence[Passage]) -> Reranked:
        """Order ``passages`` by how well they help to answer ``question``; none is added or removed.

        The model is not called for fewer than two passages.

        Raises:
            ChatUnavailable: the chat server does not answer, or refuses every pair of a round.
            MalformedReply: no pair of a whole round got a readable reply in two attempts.
        """
        comparison = _Comparison(self._prompted.begin(), question, passages)
        standing = tuple(range(len(passages)))
        fallen: list[tuple[int, ...]] = []
        while len(standing) >= FIRST_TOURNAMENT:
            out = losers(await comparison.compare(round_pairs(standing)))
            standing = tuple(index for index in standing if index not in out)
            fallen.append(out)
        order = list(by_wins(standing, await comparison.compare(all_pairs(standing))))
        order += (index for out in reversed(fallen) for index in out)
        provenance = comparison.inquiry.provenance()
        return Reranked(
            passages=tuple(passages[index] for index in order),
            provenance=provenance.model_copy(update={"degraded": comparison.draws_explained()}),
        )


class _Comparison:
    """Compares passages for one question, and counts draws from missing replies."""

    def __init__(self, inquiry: Inquiry, question: str, passages: Sequence[Passage]) -> None:
        self.inquiry = inquiry
        self._question = question
        self._passages = passages
        self._asked = 0
        self._errors: list[Unavailable] = []

    async def compare(self, pairs: Sequence[Pair]) -> tuple[Compared, ...]:
        """Compare each pair, with its first passage shown first.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: none of the pairs got a readable reply.
        """
        found = await run_concurrently([partial(self._better, *pair) for pair in pairs], _AT_ONCE)
        errors = [each for each in found if isinstance(each, Unavailable)]
        if errors and len(errors) == len(pairs):
            raise errors[0]
        self._asked += len(pairs)
        self._errors += errors
        return tuple(
            Compared(pair=pair, first_is_better=0.5 if isinstance(each, Unavailable) else each)
            for pair, each in zip(pairs, found, strict=True)
        )

    def draws_explained(self) -> str:
        """Return how many comparisons are draws because a reply is missing, and why; "" if there are none."""
        if not self._errors:
            return ""
        return (
            f"the language model did not decide {len(self._errors)} of {self._asked} comparisons of passages "
            f"({self._errors[0]})"
        )

    async def _better(self, first: int, second: int) -> float | Unavailable:
        """Return the probability that ``first`` is better, or the error if the model gave none for this pair."""
        request = self.inquiry.request(
            {
                "question": delimit_text("question", self._question),
                "first": self._shown(LABELS[0], first),
                "second": self._shown(LABELS[1], second),
            }
        )
        try:
            return (await self.inquiry.choose(request, LABELS)).probability_of(LABELS[0])
        except (MalformedReply, ChatRefused) as error:
            return error

    def _shown(self, letter: str, index: int) -> str:
        passage = self._passages[index]
        text = passage.text[:_MAX_PASSAGE_CHARACTERS]
        return delimit_text(f"passage {letter}", text, self._question, label=place_of(passage))
