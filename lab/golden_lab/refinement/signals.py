"""The three signals that an answer stands on its passages, asked of a chat model where they need one.

Source: the report on refinement policies for retrieval-augmented answers, section 3.2: of a grounded answer S1 is low,
S2 high and S3 high. S1 was dropped there as too noisy at four billion parameters, S2 for its cost.
"""

from collections.abc import Sequence

from contracts.errors import InvalidInput
from golden_lab.metrics.grounding import answer_similarity, log_probability_gain, passage_overlap
from golden_lab.refinement.text_scorer import TextScorer
from tools.chat.base import ChatMessage, ChatModel, ChatRequest, ReplyToken

__all__ = ["answer_similarity", "log_probability_gain", "measure_gain", "measure_similarity", "passage_overlap"]


async def measure_similarity(chat: ChatModel, answer: str, without_passages: ChatRequest) -> float:
    """Return S1 of ``answer``, in [0, 1]: ask for an answer without passages, and compare the two.

    Raises:
        ChatUnavailable: the chat server does not answer.
    """
    reply = await chat.complete(without_passages)
    return answer_similarity(answer, reply.text)


async def measure_gain(
    scorer: TextScorer, answer: str, *, given: Sequence[ChatMessage], without: Sequence[ChatMessage]
) -> float:
    """Return S2 of ``answer``, in nats a token: how much more probable the passages in ``given`` make it.

    ``without`` are the same messages without the passages. Both times the answer is read as the same tokens.

    Raises:
        InvalidInput: the server cut the answer into other tokens, or it has none.
        ChatUnavailable: the server does not answer, or gives no log-probabilities of prompts.
    """
    ours, theirs = await scorer.score(given, answer), await scorer.score(without, answer)
    if _texts(ours) != _texts(theirs):
        raise InvalidInput(
            f"the answer was cut into {len(ours)} tokens with passages and {len(theirs)} others without: S2 cannot be "
            "told of it"
        )
    return log_probability_gain([each.logprob for each in ours], [each.logprob for each in theirs])


def _texts(tokens: Sequence[ReplyToken]) -> list[str]:
    return [each.text for each in tokens]
