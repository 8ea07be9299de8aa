"""Following up: what else somebody may want to ask, of which the documents know an answer."""

from collections.abc import Sequence

from contracts.question import Asker
from serving.offers import QuestionSuggester
from tools.language import content_stems, fold

FOLLOW_UPS = 4
_READ_CHARACTERS = 2_000
# "What does DLL stand for?", "What is a DLL?"
_MEANING = frozenset({"stand", "mean"})


async def follow_ups(
    said: str, asked: Sequence[str], suggester: QuestionSuggester, asker: Asker, *, explained: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return questions near to what was ``said`` that the documents answer and that are not among those ``asked``.

    What one of the terms ``explained`` means is not offered: the answer has told it.
    """
    most = FOLLOW_UPS + len(asked) + 2 * len(explained)
    found = await suggester.suggest(said[: 2 * _READ_CHARACTERS], most, groups=asker.groups)
    known = {_compared(question) for question in asked}
    told = [frozenset(content_stems(term)) for term in explained]
    wanted = [
        question
        for question in found
        if _compared(question) not in known and _is_telling(question) and not _asks_meaning(question, told)
    ]
    return tuple(wanted[:FOLLOW_UPS])


def _asks_meaning(question: str, terms: Sequence[frozenset[str]]) -> bool:
    stems = frozenset(content_stems(question)) - _MEANING
    return any(stems == term for term in terms)


def _is_telling(question: str) -> bool:
    """Say whether it asks about something: a cell of a table can be a number, and "What is 1?" helps nobody."""
    return any(any(map(str.isalpha, stem)) for stem in content_stems(question))


def _compared(question: str) -> str:
    return fold(question[:_READ_CHARACTERS]).rstrip(" ?？؟.!")
