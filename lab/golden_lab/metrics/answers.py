"""Metrics of answers: faithfulness by claims, the effect of the passages, and citations."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.errors import InvalidInput
from contracts.text import Passage
from golden_lab.intervals import same_length, share
from golden_lab.metrics.text import rouge_l
from intrinsics.faithfulness.base import FaithfulnessJudge


def claim_faithfulness(supported: Sequence[bool]) -> float:
    """Return the share of an answer's claims that the context supports, in [0, 1].

    Source: RAGAS (Es et al. 2024), section 3, "Faithfulness".

    Raises:
        InvalidInput: there are no claims; an answer without claims is neither faithful nor unfaithful.
    """
    if not len(supported):
        raise InvalidInput("an answer without claims has no faithfulness score: leave it out", field="supported")
    return sum(bool(each) for each in supported) / len(supported)


def joint_answerability_faithfulness(
    predicted_answerable: bool, truth_answerable: bool, faithfulness: float = 0.0
) -> float:
    """Return JAFS of one question, in [0, 1].

    It is 1 if an unanswerable question was not answered, the answer's ``faithfulness`` if an answerable question was
    answered, and 0 otherwise. Without an answer, ``faithfulness`` is ignored.
    Source: A Library of LLM Intrinsics for Retrieval-Augmented Generation, section 5.2.2.
    """
    if predicted_answerable != truth_answerable:
        return 0.0
    return float(faithfulness) if truth_answerable else 1.0


def answer_similarity(with_passages: str, without_passages: str) -> float:
    """Return S1: the ROUGE-L F1, in [0, 1], between the answers with and without the passages.

    A value near 1 means that the passages made no difference.
    """
    return rouge_l(with_passages, without_passages).f1


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSentence:
    """The entailment results for one sentence and its citations.

    ``supported`` means that its citations together support it; without citations it is False. For each citation,
    ``alone`` is whether it supports the sentence on its own, ``without`` whether the others do.
    """

    supported: bool
    alone: tuple[bool, ...] = ()
    without: tuple[bool, ...] = ()


def citation_recall(sentences: Sequence[CitedSentence]) -> float:
    """Return the share of sentences that their citations together support, in [0, 1].

    Source: ALCE (Gao et al. 2023), "Automatic evaluation", citation recall.

    Raises:
        InvalidInput: there are no sentences.
    """
    if not sentences:
        raise InvalidInput("citation recall needs at least one sentence", field="sentences")
    return sum(each.supported for each in sentences) / len(sentences)


def citation_precision(sentences: Sequence[CitedSentence]) -> float:
    """Return the share of citations that are needed, in [0, 1]; 0 if nothing is cited.

    A citation counts if its sentence is supported, and if it supports the sentence alone or the others do not.
    Source: ALCE (Gao et al. 2023), "Automatic evaluation", citation precision.

    Raises:
        InvalidInput: there are no sentences.
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
    """Ask ``judge`` whether the cited passages support each sentence: together, each alone, and without each of them.

    ``citations`` contains the cited passages of each sentence. Only "faithful" counts as support. If the citations
    together do not support a sentence, the judge is not asked again, and ``alone`` and ``without`` are False.

    Raises:
        InvalidInput: there are no sentences, or ``citations`` has a different length.
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
