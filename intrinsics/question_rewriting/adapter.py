"""Question rewriting with an adapter trained for it, limited to the words of the conversation."""

from collections.abc import Sequence

from contracts.errors import MalformedReply
from contracts.question import MAX_QUESTION_CHARACTERS, RewrittenQuestion, Turn
from intrinsics.question_rewriting.additions import find_addition
from tools.adapters.declaration import AdapterDeclaration
from tools.adapters.frozen_prompt import Conversation
from tools.adapters.inquiry import AdapterInquiry, read_json, record_form
from tools.chat.base import ChatModel, ChatReply, ChatRequest
from tools.language import fold

_MAX_TURNS = 12


class AdaptedQuestionRewriter:
    """Shows an adapter the conversation, and uses its question if it consists of words from the conversation.

    A rewrite with new numbers, codes or abbreviations, or with too many new words, counts as malformed, because it
    would search for something that nobody asked. The first question of a conversation is not rewritten.

    Source: the query rewrite adapter of the Granite RAG library (arXiv 2504.11704, section 2).
    """

    def __init__(self, chat: ChatModel, adapter: AdapterDeclaration) -> None:
        self._chat = chat
        self._adapter = adapter
        self._field = adapter.field("question")
        self._form = record_form({self._field: str})

    async def rewrite(self, question: str, history: Sequence[Turn]) -> RewrittenQuestion:
        inquiry = AdapterInquiry(self._chat, self._adapter)
        turns = tuple(turn for turn in history[-_MAX_TURNS:] if turn.text.strip())
        text = question
        if turns and question.strip():
            written = await self._ask(inquiry, question.strip(), turns)
            if fold(written) != fold(" ".join(question.split())):
                text = written
        return RewrittenQuestion(text=text, changed=text != question, provenance=inquiry.provenance())

    async def _ask(self, inquiry: AdapterInquiry, question: str, turns: tuple[Turn, ...]) -> str:
        shown = Conversation(turns=turns, question=question)
        written = await inquiry.ask(shown, self._read, schema=self._form.model_json_schema())
        said = "\n".join([*(turn.text for turn in turns), question])
        added = find_addition(written, said)
        if added or len(written) > MAX_QUESTION_CHARACTERS:
            raise MalformedReply(f"The rewritten question cannot be used: {added or 'it is too long'}.")
        return written

    def _read(self, reply: ChatReply, _: ChatRequest) -> str:
        return " ".join(read_json(reply.text, self._form)[self._field].split())
