"""Citation recall and precision by entailment: do the cited passages say it, and is each citation needed?"""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.errors import InvalidInput
from contracts.text import Passage
from evaluation.intervals import same_length, share
from intrinsics.faithfulness import FaithfulnessJudge


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSentence:
    """What entailment says of one sentence and its citations.

    ``supported``: all its citations together support it; a sentence without citations is not. One value a citation:
    ``alone``, whether it supports the sentence by itself; ``without``, whether the others support it without this one.

    Raises:
        InvalidInput: ``alone`` and ``without`` are not as many, or there is support without a citation.
    """

    supported: bool
    alone: tuple[bool, ...] = ()
    without: tuple[bool, ...] = ()

    def __post_init__(self) -> None:
        if len(self.alone) != len(self.without):
            raise InvalidInput(
                f"a sentence has {len(self.alone)} citations by alone, {len(self.without)} by without", field="without"
            )
        if self.supported and not self.alone:
            raise InvalidInput("a sentence without citations cannot be supported by them", field="supported")


def citation_recall(sentences: Sequence[CitedSentence]) -> float:
    """Return the share of sentences that their citations together support, in [0, 1].

    Source: ALCE (Gao et al. 2023), "Automatic evaluation", citation recall.

    Raises:
        InvalidInput: there is no sentence.
    """
    if not sentences:
        raise InvalidInput("citation recall needs at least one sentence", field="sentences")
    return sum(each.supported for each in sentences) / len(sentences)


def citation_precision(sentences: Sequence[CitedSentence]) -> float:
    """Return the share of citations that are needed, in [0, 1]; 0 where nothing is cited.

    A citation counts where its sentence is supported and it supports it alone or the others do not without it.
    Source: ALCE (Gao et al. 2023), "Automatic evaluation", citation precision.

    Raises:
        InvalidInput: there is no sentence.
    """
    if not sentences:
        raise InvalidInput("citation precision needs at least one sentence", field="sentences")
    needed = sum(
        each.supported and (alone or not without)
        for each in sentences
        for alone, without in zip(each.alone, each.without, strict=True)
    )
    return share(needed, sum(len(each.alone) for each in sentences))


async def judge_citations(
    judge: FaithfulnessJudge, question: str, sentences: Sequence[str], citations: Sequence[Sequence[Passage]]
) -> tuple[CitedSentence, ...]:
    """Ask ``judge`` of each sentence whether its cited passages support it: together, each alone, and without each.

    ``citations`` holds the cited passages of each sentence. Only "faithful" is support. Where the citations together
    support nothing, none of them can count: the judge is not asked further, and ``alone`` and ``without`` are False.

    Raises:
        InvalidInput: no sentences, or ``citations`` are not as many.
    """
    same_length("sentences", sentences, "citations", citations)
    return tuple(
        [
            await _judge_sentence(judge, question, sentence, tuple(cited))
            for sentence, cited in zip(sentences, citations, strict=True)
        ]
    )


async def _judge_sentence(
    judge: FaithfulnessJudge, question: str, sentence: str, cited: tuple[Passage, ...]
) -> CitedSentence:
    async def supports(passages: tuple[Passage, ...]) -> bool:
        verdict = await judge.judge(question, (sentence,), passages)
        return verdict.sentences[0].label == "faithful"

    nothing = (False,) * len(cited)
    if not cited or not await supports(cited):
        return CitedSentence(supported=False, alone=nothing, without=nothing)
    if len(cited) == 1:
        return CitedSentence(supported=True, alone=(True,), without=(False,))
    return CitedSentence(
        supported=True,
        alone=tuple([await supports((passage,)) for passage in cited]),
        without=tuple([await supports(cited[:at] + cited[at + 1 :]) for at in range(len(cited))]),
    )
