"""A question with its passages as a prompt of which each passage's tokens are known."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from contracts.errors import ConfigurationError, InvalidInput
from contracts.text import Span

_HEAD = "Answer the question from the passages alone.\n\n"
_TAIL = "Question: {question}\nAnswer:"


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptLayout:
    """A prompt's token ids, and the half-open range of tokens of each passage that found room, in their order."""

    ids: tuple[int, ...]
    passages: tuple[Span, ...]


def lay_out(
    tokenizer: Any, question: str, passages: Sequence[str], *, most_tokens: int = 0, system: str = ""
) -> PromptLayout:
    """Write the prompt with the tokenizer's chat template (plainly where it has none) and find the passages in it.

    With ``most_tokens`` the last passages are left out until the prompt is no longer than that (0: any length).

    Raises:
        InvalidInput: not even the question alone finds room.
        ConfigurationError: the tokenizer does not say which characters its tokens stand for.
    """
    if not getattr(tokenizer, "is_fast", False):
        raise ConfigurationError(
            f"{type(tokenizer).__name__} does not tell where its tokens stand in the text: a fast tokenizer "
            "(tokenizer.json) is needed"
        )
    for count in range(len(passages), -1, -1):
        found = _laid_out(tokenizer, question, passages[:count], system)
        if not most_tokens or len(found.ids) <= most_tokens:
            return found
    raise InvalidInput(f"the question alone is longer than {most_tokens} tokens: shorten it")


def answer_ids(tokenizer: Any, answer: str, count: int) -> tuple[int, ...]:
    """Return the first ``count`` token ids of ``answer``, as it would follow a prompt."""
    return tuple(tokenizer(answer, add_special_tokens=False)["input_ids"][:count])


def _laid_out(tokenizer: Any, question: str, passages: Sequence[str], system: str) -> PromptLayout:
    blocks = [f"[{number}] {' '.join(text.split())}\n\n" for number, text in enumerate(passages, 1)]
    content = _HEAD + "".join(blocks) + _TAIL.format(question=" ".join(question.split()))
    text, special = _rendered(tokenizer, content, system)
    start = text.find(content)
    if start < 0:
        raise ConfigurationError(
            "the model's chat template changes what is written into it: its passages cannot be found"
        )
    encoded = tokenizer(text, add_special_tokens=special, return_offsets_mapping=True)
    offsets = encoded["offset_mapping"]
    ranges, place = [], start + len(_HEAD)
    for block in blocks:
        ranges.append(_tokens_of(offsets, Span(place, place + len(block))))
        place += len(block)
    return PromptLayout(ids=tuple(encoded["input_ids"]), passages=tuple(ranges))


def _rendered(tokenizer: Any, content: str, system: str) -> tuple[str, bool]:
    """Return the prompt's text, and whether the tokenizer must still add its special tokens."""
    if not getattr(tokenizer, "chat_template", None):
        return f"{system}\n\n{content}" if system else content, True
    messages = [{"role": "system", "content": system}] if system else []
    messages.append({"role": "user", "content": content})
    return str(tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)), False


def _tokens_of(offsets: Sequence[tuple[int, int]], span: Span) -> Span:
    """Return the range of the tokens that begin within ``span``."""
    inside = [index for index, (start, end) in enumerate(offsets) if end > start and span.start <= start < span.end]
    return Span(inside[0], inside[-1] + 1) if inside else Span(0, 0)
