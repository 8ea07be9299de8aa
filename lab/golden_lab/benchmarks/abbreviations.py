"""A synthetic test of finding abbreviations: question templates filled with one to five random abbreviations.

Source: An et al. 2024, "Golden-Retriever" (arXiv:2408.00798), section 4.2 and appendix C.1: letters are drawn in
proportion to the number of English words that begin with them. The templates are our own, in the same style.
"""

import random
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from golden_lab.benchmarks.base import Benchmark, CaseSet, about, one_by_one
from golden_lab.engine import Engine
from golden_lab.results import Outcome, Score
from golden_lab.run import Run
from golden_lab.scores import rate_score
from tools.language import fold

TEMPLATES: dict[int, tuple[str, ...]] = {
    1: (
        "What does {0} stand for?",
        "Could you tell me what {0} means?",
        "Please give the full form of {0}.",
        "{0} is short for what?",
        "Which words does the abbreviation {0} stand for?",
    ),
    2: (
        "What is the difference between {0} and {1}?",
        "If {0}>0.8, how large must {1} be?",
        "What are the abbreviations {0} and {1} short for?",
        "How does {0} depend on {1}?",
    ),
    3: (
        "With {0}=2.5 and {1}<0.2, what value would {2} have?",
        "{0} and {1} are equal. Does {2} have to be high or low?",
        "Which level do {0},{1} have during a {2} operation?",
    ),
    4: (
        "It takes 20ns {0} to reach 50{1} in {2}. How do I choose {3}?",
        "In each of the {0}, what should {1}/{2}/{3} be like?",
    ),
    5: ("{0}=8, {1}=4, {2}<0.3 in {3}. Which setting does {4} need?",),
}

# Never drawn, because after a number ("50MB") any reader would take them for units.
_UNITS = frozenset("kb mb gb tb pb kw mw gw tw kv mv kj mj gj mt gt kg km mm cm nm ns ms us ps".split())  # noqa: SIM905
_PER_COUNT = 200
_THRESHOLD = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class AbbreviationQuestion:
    """A question and the abbreviations in it, in order; the id is their count and a running number."""

    id: str
    text: str
    abbreviations: tuple[str, ...]


def english_first_letters() -> tuple[float, ...]:
    """Return the share of the 50,000 most frequent English words (wordfreq 3.1) that begin with each letter, A to Z."""
    from wordfreq import top_n_list

    counts = dict.fromkeys(string.ascii_lowercase, 0)
    for word in top_n_list("en", 50_000):
        if word.isalpha() and word.isascii():
            counts[word[0].lower()] += 1
    total = sum(counts.values())
    return tuple(count / total for count in counts.values())


def make_questions(*, seed: int, per_count: int) -> tuple[AbbreviationQuestion, ...]:
    """Make ``per_count`` questions for each number of abbreviations from 1 to 5, reproducibly for each seed."""
    chance = random.Random(seed)
    letters = english_first_letters()
    questions = []
    for count, templates in TEMPLATES.items():
        for number in range(per_count):
            drawn: list[str] = []
            while len(drawn) < count:
                size = chance.choice((2, 3, 4))
                abbreviation = "".join(chance.choices(string.ascii_uppercase, weights=letters, k=size))
                if abbreviation not in drawn and fold(abbreviation) not in _UNITS:
                    drawn.append(abbreviation)
            text = templates[number % len(templates)].format(*drawn)
            questions.append(AbbreviationQuestion(id=f"{count}-{number}", text=text, abbreviations=tuple(drawn)))
    return tuple(questions)


def load(run: Run) -> CaseSet[AbbreviationQuestion]:
    """Make the questions with the run's seed, ten times as many in a full run; no data set is read."""
    per_count = _PER_COUNT * (10 if run.full else 1)
    cases = make_questions(seed=run.seed, per_count=per_count)
    return CaseSet(cases=cases, note=f"{per_count} questions for each number of abbreviations, seed {run.seed}")


async def measure(case: AbbreviationQuestion, engine: Engine) -> Outcome:
    """Compare the abbreviations that the engine finds in one question with the expected ones."""
    mentions = (await engine.judges.jargon_identifier.identify(case.text)).mentions
    found = {mention.text for mention in mentions if mention.probability >= _THRESHOLD}
    wanted = set(case.abbreviations)
    return Outcome(
        id=case.id,
        values={"abbreviations": str(len(wanted)), "exact set": found == wanted, "all found": found >= wanted},
        loss=float(found != wanted),
        trace={
            "question": case.text,
            "wanted": ", ".join(case.abbreviations),
            "found": ", ".join(sorted(found)) or "nothing",
        },
    )


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score how often exactly the expected abbreviations are found, and how often all of them are found."""
    scores = []
    counts = sorted({str(each.values["abbreviations"]) for each in outcomes})
    for metric in ("exact set", "all found"):
        scores.append(rate_score(metric, [bool(each.values[metric]) for each in outcomes]))
        for count in counts:
            right = [bool(each.values[metric]) for each in outcomes if each.values["abbreviations"] == count]
            scores.append(rate_score(metric, right, subset=f"{count} at a time"))
    return scores


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmark of this module."""
    return (Benchmark(about=about("abbreviations"), load=load, prepare=one_by_one(measure), score=score),)
