"""Find the passages that a draft relies on, with input x gradient on a causal language model in this process.

A chat server returns no gradients, so the model is loaded with transformers (extra ``training``).
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contracts.errors import ConfigurationError, InvalidInput
from contracts.text import Passage, Span
from golden_lab.refinement.perturbation import CausalModel, Faithfulness, measure_faithfulness
from golden_lab.training.lora.models import load_base, load_tokenizer, quiet_libraries, require_packages
from golden_lab.training.recipes import BaseModelOfRecipe

Floats = NDArray[np.float64]

# Returns for each passage whether it is irrelevant to the question.
IrrelevanceOf = Callable[[str, Sequence[Passage]], Awaitable[Sequence[bool]]]

METHOD = "attribution (input-x-gradient)"
# A passage counts as used if it ranks among the first three by absolute relevance for at least 30% of the answer's
# first ten tokens. Ranks are used because the size of gradients differs between questions by orders of magnitude.
# Source: the study of refinement that the product builds on, section 4.3.2.
_ANSWER_TOKENS = 10
_TOP, _SHARE = 3, 0.3

_HEAD = "Answer the question from the passages alone.\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageUse:
    """The passages that a draft relies on, and the irrelevant ones among them, as indexes from 0, in order.

    ``faithfulness`` is the faithfulness of the attribution, or None if it was not measured.
    """

    used: tuple[int, ...]
    flagged: tuple[int, ...]
    faithfulness: Faithfulness | None = None


FlagPassages = Callable[[str, str, Sequence[Passage]], Awaitable[PassageUse]]


def load_model(name: str) -> CausalModel:
    """Load a causal language model from a folder or a GGUF file, onto a GPU if there is one.

    Raises:
        ConfigurationError: torch or transformers is not installed, or the model cannot be loaded.
    """
    require_packages()
    with quiet_libraries():
        module = load_base(BaseModelOfRecipe(name=name)).eval().requires_grad_(False)
    most = int(getattr(module.config, "max_position_embeddings", 0) or 0)
    return CausalModel(module=module, tokenizer=load_tokenizer(name), most_tokens=most)


def flag_by_attribution(model: CausalModel, irrelevant: IrrelevanceOf) -> FlagPassages:
    """Return a function that flags the ``irrelevant`` passages on which the first tokens of a draft rely.

    The draft may come from a different model; its tokens are attributed as if this model had written them. A draft
    takes one forward pass, one backward pass per token, and 16 forward passes to measure the faithfulness of the
    attribution; drafts are processed one at a time. A passage that does not fit into the context counts as not used.
    """
    one_at_a_time = asyncio.Lock()

    async def flag(question: str, draft: str, passages: Sequence[Passage]) -> PassageUse:
        async with one_at_a_time:
            texts = [passage.chunk.text for passage in passages]
            relevance, faithfulness = await asyncio.to_thread(_attribute, model, question, draft, texts)
        used = used_passages(relevance)
        beside = await irrelevant(question, passages) if used else ()
        flagged = tuple(index for index in used if beside[index])
        return PassageUse(used=used, flagged=flagged, faithfulness=faithfulness)

    return flag


def used_passages(by_passage: Floats) -> tuple[int, ...]:
    """Return the indexes of the passages that an answer relies on; passages without any relevance are not ranked.

    ``by_passage`` is the relevance of each passage for each answer token, with shape ``(answer tokens, passages)``.
    """
    tokens, passages = by_passage.shape
    amounts = np.abs(by_passage)
    # Among equal amounts, the earlier passage comes first.
    places = np.argsort(np.argsort(-amounts, axis=1, kind="stable"), axis=1, kind="stable")
    often = ((places < _TOP) & (amounts > 0)).sum(axis=0)
    return tuple(index for index in range(passages) if tokens and often[index] >= _SHARE * tokens)


def token_relevance(model: CausalModel, prompt: Sequence[int], answer: Sequence[int]) -> Floats:
    """Return the relevance of each prompt token for each answer token, with shape ``(answer tokens, prompt tokens)``.

    It is the embedding of the prompt token times the gradient of the answer token's logit with respect to it, summed
    over the embedding width. It is exact for a model that is linear in its embeddings. Blocking.
    Source: the study of refinement that the product builds on, section 4.3.1.
    """
    import torch

    table = model.module.get_input_embeddings()
    device = next(model.module.parameters()).device
    with torch.enable_grad():
        embedded = table(torch.tensor([[*prompt, *answer[:-1]]], device=device)).detach().requires_grad_(True)
        logits = model.module(inputs_embeds=embedded).logits[0]
        wanted = [logits[len(prompt) - 1 + place, token] for place, token in enumerate(answer)]
        gradients = torch.stack([torch.autograd.grad(each, embedded, retain_graph=True)[0][0] for each in wanted])
    scores = (gradients * embedded.detach()).sum(dim=-1)[:, : len(prompt)]
    return np.asarray(scores.double().cpu().numpy(), dtype=np.float64)


def lay_out(
    tokenizer: Any, question: str, passages: Sequence[str], *, most_tokens: int = 0
) -> tuple[tuple[int, ...], tuple[Span, ...]]:
    """Write the prompt with the tokenizer's chat template, or as plain text if it has none.

    Returns the token ids, and the half-open token range of each passage that fits. With ``most_tokens``, the last
    passages are left out until the prompt is no longer than that.

    Raises:
        InvalidInput: not even the question alone fits.
        ConfigurationError: the tokenizer does not return token positions, or its template changes the text.
    """
    if not getattr(tokenizer, "is_fast", False):
        raise ConfigurationError(f"{type(tokenizer).__name__} does not return the positions of its tokens")
    for count in range(len(passages), -1, -1):
        blocks = [f"[{number}] {' '.join(text.split())}\n\n" for number, text in enumerate(passages[:count], 1)]
        content = f"{_HEAD}{''.join(blocks)}Question: {' '.join(question.split())}\nAnswer:"
        text = content
        if tokenizer.chat_template:
            messages = [{"role": "user", "content": content}]
            text = str(tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))
        start = text.find(content)
        if start < 0:
            raise ConfigurationError("the model's chat template changes the text inserted into it")
        # A chat template adds the special tokens itself.
        encoded = tokenizer(text, add_special_tokens=text is content, return_offsets_mapping=True)
        ids = tuple(encoded["input_ids"])
        if not most_tokens or len(ids) <= most_tokens:
            ends = list(accumulate(map(len, blocks), initial=start + len(_HEAD)))
            return ids, tuple(_tokens_in(encoded["offset_mapping"], each) for each in pairwise(ends))
    raise InvalidInput(f"the question alone is longer than {most_tokens} tokens: shorten it")


def _tokens_in(offsets: Sequence[tuple[int, int]], characters: tuple[int, int]) -> Span:
    """Return the range of the tokens that begin within ``characters``; special tokens have no characters."""
    first, last = characters
    inside = [index for index, (start, end) in enumerate(offsets) if end > start and first <= start < last]
    return Span(inside[0], inside[-1] + 1) if inside else Span(0, 0)


def _attribute(
    model: CausalModel, question: str, draft: str, texts: Sequence[str]
) -> tuple[Floats, Faithfulness | None]:
    """Return the relevance of each passage for each of the draft's first tokens, as ``(answer tokens, passages)``.

    Also return the faithfulness of the relevance of the passage tokens, or None if there are no tokens.
    """
    answer = tuple(model.tokenizer(draft, add_special_tokens=False)["input_ids"][:_ANSWER_TOKENS])
    found = np.zeros((len(answer), len(texts)))
    if not answer or not texts:
        return found, None
    room = model.most_tokens - len(answer) if model.most_tokens else 0
    prompt, spans = lay_out(model.tokenizer, question, texts, most_tokens=room)
    scores = token_relevance(model, prompt, answer)
    for index, span in enumerate(spans):
        found[:, index] = scores[:, span.start : span.end].sum(axis=1)
    places = np.array([place for span in spans for place in range(span.start, span.end)], dtype=np.int64)
    return found, measure_faithfulness(model, prompt, answer, places, scores.sum(axis=0)[places])
