"""Answerability with an adapter trained for it, and a limit for codes that no passage mentions."""

from collections.abc import Sequence

from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import AnswerabilityVerdict
from tools.adapters.declaration import AdapterDeclaration
from tools.adapters.frozen_prompt import Conversation
from tools.adapters.inquiry import AdapterInquiry
from tools.chat.base import ChatModel
from tools.evidence.passages import answerability_verdict, find_unmentioned
from tools.labels import read_label


class AdaptedAnswerabilityJudge:
    """Asks an adapter for one of two words, and returns the server's probability of the first word.

    If passages do not fit into the model's context window, the last ones are left out. As in the other implementations,
    ``missing`` is found without the model, and so is the limit for questions with a code that no passage mentions.

    Source: the answerability adapter of the Granite RAG library (arXiv 2504.11704, section 5).
    """

    def __init__(self, chat: ChatModel, adapter: AdapterDeclaration) -> None:
        self._chat = chat
        self._adapter = adapter
        self._words = adapter.labels("answerable", "unanswerable")

    async def judge(self, question: AugmentedQuestion, passages: Sequence[Passage]) -> AnswerabilityVerdict:
        inquiry = AdapterInquiry(self._chat, self._adapter)
        absent = find_unmentioned(question.question, passages, question.readings)
        probability = 0.0
        if any(passage.text.strip() for passage in passages):
            shown = Conversation(question=question.text, passages=tuple(passages))
            reply = await inquiry.ask(shown, lambda said, _: read_label(said, self._words), measured=True)
            probability = reply.probability_of(self._words[0])
        return answerability_verdict(probability, absent, inquiry.provenance())
