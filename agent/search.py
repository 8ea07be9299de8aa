"""Search for passages by a query in people's words, its jargon spelt out as in a question."""

from dataclasses import dataclass, replace

from agent.previewing import QuestionPreview, QuestionPreviewer
from agent.services import Services
from agent.steps.passages import retrieve
from contracts.provenance import Provenance
from contracts.question import Asker, AugmentedQuestion
from contracts.text import Passage

_WHO = Provenance(implementation="search")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPassages:
    """The passages, best first, the words that were ``searched_for``, and how the query was read."""

    passages: tuple[Passage, ...]
    searched_for: str
    preview: QuestionPreview


async def search_passages(query: str, asker: Asker, services: Services, *, top_k: int) -> FoundPassages:
    """Return the ``top_k`` passages that the chatbot itself would read first for ``query``.

    Where the chatbot would stop and ask about a term, the query's own words are searched.

    Raises:
        InvalidInput: the query is empty or too long.
        Unavailable: something needed is not there just now.
    """
    preview = await QuestionPreviewer(services).preview(query, asker=asker)
    searched = preview.augmented or preview.question
    policy = replace(services.policy, top_k=top_k, candidates=max(services.policy.candidates, top_k))
    augmented = AugmentedQuestion(question=preview.question, text=searched, provenance=_WHO)
    found = await retrieve(augmented, preview.readings, replace(services, policy=policy), groups=asker.groups)
    return FoundPassages(passages=found.passages, searched_for=searched, preview=preview)
