"""Writing from given passages, with the citations and verdicts that every system is measured by."""

import time

from agent.composing import compose, sentences_of
from agent.services import Services
from contracts.answer import Answer
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import Draft
from golden_lab.systems.measures import SystemAnswer, SystemQuestion
from intrinsics.answer_generation.base import WritingBrief
from tools.citation_marks import remove_marks
from tools.language.abstention import says_unknown

_AS_ASKED = Provenance(implementation="none")


def as_asked(text: str) -> AugmentedQuestion:
    """Return ``text`` as the question that goes to a judgement, with nothing worked in."""
    return AugmentedQuestion(question=text, text=text, provenance=_AS_ASKED)


async def write_from(services: Services, brief: WritingBrief) -> tuple[str, Answer]:
    """Write by ``brief``; cite and check each sentence as the bot does, but keep what is not supported.

    Returns the draft and the answer: "declined" where the draft says that it does not know, else "answered".
    """
    question, passages = brief.question.question, brief.passages
    (written,) = [piece async for piece in services.answer_writer.write(brief) if isinstance(piece, Draft)]
    draft = remove_marks(written.text).strip()
    if not brief.choices and says_unknown(draft):
        return draft, Answer(outcome="declined", text=draft, question=question)
    sentences = [sentence.text for sentence in sentences_of(draft)]
    cited = await services.citation_finder.find(sentences, passages, question=question)
    judged = await services.faithfulness_judge.judge(question, sentences, passages)
    most = services.policy.citations_per_sentence
    composed = compose(draft, cited.links, judged.sentences, passages, per_sentence=most)
    answer = Answer(outcome="answered", text=composed.text, question=question)
    return draft, answer.model_copy(update={"sentences": composed.sentences, "citations": composed.citations})


def without_answer(
    question: SystemQuestion, text: str, begun: float, *, passages: tuple[Passage, ...] = ()
) -> SystemAnswer:
    """Return the answer of a system that wrote nothing; ``text`` says why, ``begun`` is when it was asked."""
    answer = Answer(outcome="declined", text=text, question=question.asked)
    milliseconds = (time.perf_counter() - begun) * 1_000
    return SystemAnswer(answer=answer, draft="", passages=passages, milliseconds=milliseconds)
