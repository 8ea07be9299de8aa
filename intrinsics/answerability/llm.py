"""Answerability with a chat model; a question with a code that no passage mentions counts as unanswered."""

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
    """Asks a chat model for one of two words, and returns the server's probability of the first word.

    A question takes one call of a few tokens (two calls if the first reply is unusable), or none without passages. If
    passages do not fit into the model's context window, the last ones are left out. ``missing`` is found without the
    model, as in the embedded judge: this takes no call, and lists only words from the question. A question with a code
    that no passage mentions gets at most 0.3, whatever the model answers.

    Source: the two labels come from the answerability intrinsic in IBM's library of LLM intrinsics for RAG (arXiv
    2504.11704, section 5). Its results show why the prompt favours the second label: plain Granite 3.3 8B declined only
    10% of MT-RAG's unanswerable questions (table 14).
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
    """Return the model's probability that the passages contain the answer; without text, the model is not asked."""
    if not any(passage.text.strip() for passage in passages):
        return 0.0
    asked = {"question": delimit_text("question", question.text)}
    reply = await ask_grounded(inquiry, passages, asked, lambda request: inquiry.choose(request, LABELS))
    return reply.probability_of("answerable")
