"""Many questions that are each asked once: those of a quiz, in many wordings, so that no cache knows them."""

import itertools
from pathlib import Path

from contracts.errors import InvalidInput
from evaluation.quiz import load_quiz

_OPENERS = (
    "", "Please tell me: ", "Hello, one question: ", "I would like to know: ", "Quick question: ", "Can you help me? ",
    "For my notes: ", "A colleague asks: ", "Good morning. ", "Once more for me: ", "My question is this: ",
    "We wonder: ",
)  # fmt: skip
_CLOSERS = (
    "", " Thank you.", " Please be brief.", " A short answer will do.", " Thanks in advance.", " I am in a hurry.",
    " Please say where that is written.", " Kind regards.", " That is all.", " I could not find it.",
)  # fmt: skip


def make_questions(quiz: Path, count: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return at most ``count`` distinct questions, and those of the quiz at ``quiz`` as they stand, to warm up with.

    Neighbours are different questions of the quiz; each wording of one is another text, so that its vector, its search
    and the language model's reply are made anew. What they find are the same passages.

    Raises:
        InvalidInput: the file is no quiz, or holds no question with an answer and no history.
    """
    plain = tuple(each.asked for each in load_quiz(quiz) if each.expect == "answered" and not each.history)
    if not plain:
        raise InvalidInput(f"{quiz} has no question with an answer and no history", field="examples")
    # The plain wording is the first of all, and is known from the warm-up.
    wordings = list(itertools.product(_OPENERS, _CLOSERS))[1:]
    made = (f"{opener}{text}{closer}" for opener, closer in wordings for text in plain)
    return tuple(itertools.islice(dict.fromkeys(made), count)), plain
