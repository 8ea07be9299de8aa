"""A change of a large dictionary counts from the next question on, and has nothing else read again."""

from collections.abc import Mapping, Sequence

from contracts.jargon import Context, Sense
from intrinsics.context_classification.embedded import EmbeddedContextClassifier
from tools.embedding.hashing import HashingEmbedder
from tools.jargon import Vocabulary
from tools.jargon.memory import InMemoryJargonDictionary

CONTEXTS = (Context(name="Baking", description="Ovens and dough."), Context(name="Sailing", description="Boats."))
QUESTION = "Who looks after the XQ-ZW of the other hall?"


class GrowingDictionary(InMemoryJargonDictionary):
    """A large dictionary that senses are added to; ``looked_up`` counts the terms of each look-up."""

    def __init__(self, size: int) -> None:
        self.looked_up: list[int] = []
        self._size = size
        self._added: list[Sense] = []
        self._now = Vocabulary(version="0", terms={f"T{number}Y": (f"T{number}Y",) for number in range(size)})
        super().__init__((), CONTEXTS)

    def add(self, *senses: Sense) -> None:
        self._added += senses
        terms = {sense.term: (sense.term,) for sense in senses}
        self._now = self._now.updated(str(int(self._now.version) + 1), terms, {})

    async def version(self) -> str:
        return self._now.version

    async def vocabulary(self) -> Vocabulary:
        return self._now

    async def senses(self, terms: Sequence[str]) -> Mapping[str, tuple[Sense, ...]]:
        self.looked_up.append(len(terms))
        return {term: tuple(sense for sense in self._added if sense.term == term) for term in terms}


async def test_one_new_term_is_evidence_at_once_and_the_others_are_not_read_again() -> None:
    dictionary = GrowingDictionary(6_000)
    classifier = EmbeddedContextClassifier(HashingEmbedder(), dictionary)
    before = await classifier.classify(QUESTION, CONTEXTS)
    assert max(dictionary.looked_up) == 6_000
    dictionary.looked_up.clear()
    dictionary.add(Sense(id=1, term="XQ-ZW", extended_name="Cross-Quay Winch", context="Sailing"))
    after = await classifier.classify(QUESTION, CONTEXTS)
    assert after.probability_of("Sailing") > before.probability_of("Sailing")
    assert after.contexts[0].name == "Sailing"
    assert max(dictionary.looked_up) == 1


async def test_many_changes_are_read_whole() -> None:
    dictionary = GrowingDictionary(6_000)
    classifier = EmbeddedContextClassifier(HashingEmbedder(), dictionary)
    await classifier.classify(QUESTION, CONTEXTS)
    dictionary.looked_up.clear()
    dictionary.add(*(Sense(id=at, term=f"N{at}W", extended_name=f"New {at}", context="Sailing") for at in range(100)))
    await classifier.classify(QUESTION, CONTEXTS)
    assert max(dictionary.looked_up) == 6_100
