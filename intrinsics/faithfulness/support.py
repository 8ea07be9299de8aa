"""Finds the one to three passage sentences that support a claim, and measures how well they support it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from intrinsics.faithfulness.figures import Figure, figures, source_figures, unbound_figures, unsupported_figures
from intrinsics.faithfulness.wording import count_negations, negated_stems, opposed_words, spell_out
from tools.evidence.matching import Scores, text_stems
from tools.evidence.question import QuestionTerm
from tools.evidence.reading import Evidence
from tools.language import content_stems, find_words, fold, rarity

SUPPORT_FEATURES = (
    "covered_three",
    "covered_all",
    "soft_three",
    "weakest_soft",
    "focus_near",
    "figures_all",
    "has_figures",
    "heaviest_unsaid",
    "negation_flip",
    "opposed",
    "length",
)
_SOFT_FLOOR = 0.35
# If a claim and a source share at least this much of their words, different negations are a contradiction.
_SAME_WORDS = 0.75
# If two statements share at least this much of their words, antonyms are a contradiction.
_SAME_SUBJECT = 0.6
# Words more common than this (about ten in a million) are probably capitalised only because they are in a heading or
# begin a sentence.
_NAME_RARITY = 0.42


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """The support for a claim. ``best`` is the index of the nearest unit; ``verbatim`` means that a passage contains
    the claim word for word.

    ``missing_figures`` and ``missing_names`` are in none of the passages. ``unbound`` pairs numbers with a code in the
    claim that no passage mentions near them. ``opposed`` pairs words of the claim with their opposites in the source.
    """

    row: Scores
    best: int
    verbatim: bool
    missing_figures: tuple[Figure, ...]
    missing_names: tuple[str, ...]
    unbound: tuple[tuple[Figure, str], ...]
    opposed: tuple[tuple[str, str], ...]
    negation_flip: bool


def find_support(claim: str, evidence: Evidence) -> Support:
    """Find the support for ``claim``; ``evidence`` compares the claim with the passages (at least one unit)."""
    evidence = spell_out(claim, evidence)
    scores = _unit_scores(evidence)
    best = int(np.argmax(scores))
    passage = int(evidence.owner[best])
    near = [at for at in (best - 1, best, best + 1) if 0 <= at < len(scores) and evidence.owner[at] == passage]
    three = _choose(evidence, scores, best)
    texts = [unit.text for unit in evidence.units]
    chunk = evidence.passages[passage].chunk
    heading = "\n".join((chunk.document_title, *chunk.heading_path))
    claimed = figures(claim)
    missing = unsupported_figures(claimed, source_figures("\n".join([*texts, heading])))
    covered = _covered(evidence, evidence.literal[:, best])
    opposed = _opposed(claim, texts, best, near) if covered >= _SAME_SUBJECT else ()
    flip = _flips(claim, texts[best], covered)
    sources = [*(each.text for each in evidence.passages), texts[best]]
    verbatim = any(_contains(source, _words(claim)) for source in sources)
    row = [
        *_coverage(evidence, best, near, three),
        1.0 - len(missing) / max(1, len(claimed)),
        float(bool(claimed)),
        # The weight of the most important word that the chosen sentences neither contain nor express.
        float((evidence.weights * (1.0 - _soft(evidence, three))).max(initial=0.0)),
        float(flip),
        float(bool(opposed)),
        float(np.log1p(len(evidence.terms))),
    ]
    return Support(
        row=np.array(row),
        best=best,
        verbatim=verbatim,
        missing_figures=missing,
        missing_names=_missing_names(claim, evidence),
        unbound=unbound_figures(evidence, claimed),
        opposed=opposed,
        negation_flip=flip,
    )


def _coverage(evidence: Evidence, best: int, near: Sequence[int], three: Sequence[int]) -> list[float]:
    """Return how much of the claim is covered: by ``three``, by all, in meaning (mean, minimum), and names ``near``."""
    headed = evidence.headed[:, int(evidence.owner[best])]
    soft = _soft(evidence, three)
    return [
        _covered(evidence, np.maximum(evidence.literal[:, three].max(axis=1), headed)),
        _covered(evidence, np.maximum(evidence.literal.max(axis=1), evidence.headed.max(axis=1))),
        _covered(evidence, soft),
        float(soft.min(initial=1.0)),
        _covered(evidence, np.maximum(evidence.literal[:, near].max(axis=1), headed), focus=True),
    ]


def _unit_scores(evidence: Evidence) -> Scores:
    soft = np.clip((evidence.soft - _SOFT_FLOOR) / (1 - _SOFT_FLOOR), 0.0, 1.0)
    strength = np.maximum(evidence.literal, 0.8 * soft)
    total = evidence.weights.sum()
    covered = evidence.weights @ strength / total if total > 0 else np.ones(len(evidence.units))
    return np.asarray(0.5 * np.clip(evidence.cosine, 0.0, 1.0) + 0.5 * covered, dtype=np.float64)


def _choose(evidence: Evidence, scores: Scores, best: int) -> list[int]:
    """Add up to two units that cover most of what the best unit lacks; units from the same passage are preferred."""
    chosen = [best]
    while len(chosen) < 3:
        said = evidence.literal[:, chosen].max(axis=1)
        gain = evidence.weights @ np.clip(evidence.literal - said[:, None], 0.0, 1.0) / (evidence.weights.sum() + 1e-9)
        gain = gain * np.where(evidence.owner == evidence.owner[best], 1.0, 0.7) + 0.02 * scores
        gain[chosen] = -1.0
        follower = int(np.argmax(gain))
        if gain[follower] <= 0.05:
            break
        chosen.append(follower)
    return chosen


def _covered(evidence: Evidence, strengths: Scores, *, focus: bool = False) -> float:
    weights = evidence.weights
    if focus:
        weights = weights * np.array([term.focus for term in evidence.terms], dtype=np.float64)
    total = float(weights.sum())
    return float(weights @ strengths) / total if total > 0 else 1.0


def _soft(evidence: Evidence, chosen: Sequence[int]) -> Scores:
    soft = np.clip((evidence.soft[:, chosen].max(axis=1) - _SOFT_FLOOR) / (1 - _SOFT_FLOOR), 0.0, 1.0)
    return np.asarray(np.maximum(soft, evidence.literal[:, chosen].max(axis=1)), dtype=np.float64)


def _missing_names(claim: str, evidence: Evidence) -> tuple[str, ...]:
    said = np.maximum(evidence.literal.max(axis=1), evidence.headed.max(axis=1))
    return tuple(
        term.text
        for term, strength in zip(evidence.terms, said, strict=True)
        # Numbers are checked separately, and a rare ordinary word may be paraphrased.
        if strength <= 0 and term.focus and not term.text.replace(".", "").isdigit()
        if term.literal or _is_name(claim, term)
    )


def _is_name(claim: str, term: QuestionTerm) -> bool:
    """Return whether ``term`` is a name because of its capital; sentence beginnings and common words do not count."""
    before = claim[: term.start].rstrip(" \"'“‘(")
    starts = not before or before[-1] in ".:;!?\n•–—-"
    return term.text[:1].isupper() and not starts and rarity(fold(term.text)) >= _NAME_RARITY


def _opposed(claim: str, texts: Sequence[str], best: int, near: Sequence[int]) -> tuple[tuple[str, str], ...]:
    pairs = opposed_words(text_stems(claim), text_stems(texts[best]))
    around = frozenset().union(*(text_stems(texts[at]) for at in near))
    return tuple(pair for pair in pairs if pair[0] not in around)


def _flips(claim: str, source: str, covered: float) -> bool:
    """Return whether both texts have nearly the same words, but one has an additional negation."""
    mine, theirs = negated_stems(claim), negated_stems(source)
    claim_stems, source_stems = frozenset(content_stems(claim)), frozenset(content_stems(source))
    close_in_length = len(source_stems) <= 1.6 * len(claim_stems) + 3
    if covered < _SAME_WORDS or not close_in_length or count_negations(claim) == count_negations(source):
        return False
    turned = bool((mine & source_stems) - theirs or (theirs & claim_stems) - mine)
    return turned or len(source_stems) <= 1.4 * len(claim_stems) + 2


@lru_cache(maxsize=4_096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(fold(word.text) for word in find_words(text))


def _contains(source: str, wanted: Sequence[str]) -> bool:
    return bool(wanted) and f" {' '.join(wanted)} " in f" {' '.join(_words(source))} "
