"""An answer refiner whose signal is a chat model's verdict on the draft; the critique stays the template's."""

from collections.abc import Sequence
from pathlib import Path

from contracts.errors import ConfigurationError
from contracts.text import Passage
from contracts.verdicts import RefinementVerdict
from intrinsics.refinement.templates import CritiqueTemplate, stored_template
from tools.chat.base import ChatModel, ChatRequest
from tools.grounding import ground
from tools.labels import LabelReply
from tools.prompting import PromptedModel
from tools.reading.fencing import fence_alone

_GROUNDED = "grounded"
_LABELS = (_GROUNDED, "memory")
# Rather not grounded than grounded: nothing measured says to ask for more or for less.
_THRESHOLD = 0.5


class PromptedAnswerRefiner:
    """Asks a chat model for one word on the draft, and fires the same fixed critique as the overlap does.

    The signal is the probability of "grounded" by its log-probability (0.8 or 0.2 by the word alone); below
    ``threshold`` the draft is written again. The model never sees or writes a critique: one that it wrote itself asks
    for more, and what is added is less grounded. No profile chooses this engine, since the policy that was measured is
    the overlap (see ``docs/decisions/0011-a-verdict-may-fire-the-critique.md``).

    Source: a signal says when to refine and a fixed template what to criticise, from the report on refinement policies
    for retrieval-augmented answers that the product builds on. A model's verdict as that signal is ours, and not
    measured there.
    """

    def __init__(
        self,
        chat: ChatModel,
        *,
        threshold: float = _THRESHOLD,
        template: CritiqueTemplate | None = None,
        model: str = "",
        max_tokens: int = 16,
        prompt_path: Path | None = None,
    ) -> None:
        if not 0.0 <= threshold <= 1.0:
            raise ConfigurationError(f"the threshold of a refinement is a probability, not {threshold}")
        self._threshold = threshold
        self._template = template
        path = prompt_path or Path(__file__).with_name("llm.toml")
        self._prompted = PromptedModel(chat, path, model=model, max_tokens=max_tokens)

    async def review(self, question: str, draft: str, passages: Sequence[Passage]) -> RefinementVerdict:
        """Decide whether ``draft`` is written again, and under which critique.

        An empty draft, or one without passages to write from, is kept, and nothing is asked.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies named no label.
        """
        inquiry = self._prompted.begin()
        signal = 1.0
        if draft.strip() and passages:
            more = {"question": fence_alone("question", question), "draft": fence_alone("draft", draft)}

            def request_of(number: int) -> ChatRequest:
                return inquiry.request({**ground(passages[:number]), **more})

            async def chosen(request: ChatRequest) -> LabelReply:
                return await inquiry.choose(request, _LABELS)

            reply = await inquiry.fitting(request_of, len(passages), chosen)
            signal = round(reply.probability_of(_GROUNDED), 4)
        rewrite = signal < self._threshold
        template = self._template or stored_template()
        return RefinementVerdict(
            rewrite=rewrite,
            critique=template.text if rewrite else "",
            policy="verdict",
            signal_name=_GROUNDED,
            signal=signal,
            threshold=self._threshold,
            provenance=inquiry.provenance(),
        )
