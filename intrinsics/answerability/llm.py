"""Answerability with a chat model; if no passage mentions a code of the question, it counts as unanswered."""

import asyncio
from collections.abc import Sequence

from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import AnswerabilityVerdict
from tools.evidence.passages import answerability_verdict, find_unmentioned
from tools.judges import PromptedJudge, ask_grounded
from tools.prompt_delimiters import delimit_text
from tools.prompted_model import Inquiry

LABELS = ("answerable", "unanswerable")


class PromptedAnswerabilityJudge(PromptedJudge):
    """Asks a chat model for one of two words, and takes the probability that the server gives the first of them.

    One call per question (two if the first reply cannot be read), of a few tokens; none if there are no passages.
    Passages that do not fit into the model's window are left out, the last ones first. ``missing`` is found by code, as
    by the embedded judge: it costs no call, and names nothing that the question does not contain. A question that names
    a code which no passage mentions gets at most 0.3, whatever the model says.

    Source: the two labels are those of the answerability intrinsic of IBM's library of LLM intrinsics for RAG (arXiv
    2504.11704, section 5). Its figures say why the prompt leans to the second: of MT-RAG's unanswerable questions,
    plain Granite 3.3 8B declined 10 % (table 14).
    """

    max_tokens = 16

    async def judge(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> AnswerabilityVerdict:
        inquiry = self._prompted.begin()
        probability, absent = await asyncio.gather(
            _ask(inquiry, question, passages),
            asyncio.to_thread(find_unmentioned, question.question, passages, question.readings),
        )
        return answerability_verdict(probability, absent, inquiry.provenance())


async def _ask(inquiry: Inquiry, question: AugmentedQuestion, passages: Sequence[Passage]) -> float:
    """Return the model's probability that the passages contain the answer; without any text nothing is asked."""
    if not any(passage.text.strip() for passage in passages):
        return 0.0
    asked = {"question": delimit_text("question", question.text)}
    reply = await ask_grounded(inquiry, passages, asked, lambda request: inquiry.choose(request, LABELS))
    return reply.probability_of("answerable")
