"""Examples as tokens: which tokens a model reads, which count towards the loss, and which examples are held out."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from contracts.errors import ConfigurationError, InvalidInput
from golden_lab.training.data.examples import TrainingExample

# Labels that cross entropy ignores (torch's ``ignore_index``).
IGNORED = -100
# A placeholder completion, to find what the template appends to one.
_STAND_IN = "completion"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenisedExample:
    """The tokens of an example: ``prompt`` is only read; ``completion``, including its end token, is learned."""

    id: str
    prompt: tuple[int, ...]
    completion: tuple[int, ...]

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self.prompt) + len(self.completion)

    @property
    def ids(self) -> list[int]:
        """All tokens."""
        return [*self.prompt, *self.completion]

    @property
    def labels(self) -> list[int]:
        """A label for each token: the token itself if it counts towards the loss, otherwise ``IGNORED``."""
        return [IGNORED] * len(self.prompt) + [*self.completion]


class ExampleTokeniser:
    """Tokenises examples in the same way as a server that runs the model.

    ``messages`` are formatted with the model's chat template, followed by the opening of the answer; only the template
    adds a start token. A frozen ``prompt`` is tokenised as plain text: it gets one start token if the tokenizer adds
    one. The completion is followed by the token at which the server stops: the one that ends an answer in the chat
    template, or the tokenizer's if the template contains none of ``stops``.
    """

    def __init__(self, tokenizer: Any, *, stops: Iterable[int] = ()) -> None:
        if tokenizer.eos_token_id is None:
            raise ConfigurationError("the model's tokenizer names no end token (eos_token in tokenizer_config.json)")
        self._tokenizer = tokenizer
        self._stops = {tokenizer.eos_token_id, *stops}
        self.end_mark = self._find_end_mark()

    def tokenise(self, example: TrainingExample) -> TokenisedExample:
        """Return the tokens of an example.

        Raises:
            InvalidInput: the chat template refuses its messages, or its completion contains an end token.
            ConfigurationError: it has messages, but the tokenizer has no chat template.
        """
        text = self._laid_out(example) if example.messages else example.prompt
        prompt = self._plain(text)
        begin = self._tokenizer.bos_token_id
        if example.prompt and self._begins_plain_text() and prompt[:1] != [begin]:
            prompt = [begin, *prompt]
        completion = self._completion(text, prompt, example.completion)
        if self._stops.intersection(completion):
            raise InvalidInput(f"remove the model's end token from the completion of the example {example.id!r}")
        return TokenisedExample(id=example.id, prompt=tuple(prompt), completion=(*completion, *self.end_mark))

    def _laid_out(self, example: TrainingExample) -> str:
        from jinja2 import TemplateError

        if not self._tokenizer.chat_template:
            raise ConfigurationError(
                f"the example {example.id!r} has messages, but the model's tokenizer has no chat template: train on an "
                "instruction-tuned model, or write the prompts out (prompt instead of messages)"
            )
        turns = [each.model_dump() for each in example.messages]
        try:
            return str(self._tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))
        except TemplateError as error:
            raise InvalidInput(
                f"the model's chat template refuses the messages of the example {example.id!r}: {error}"
            ) from error

    def _completion(self, prompt_text: str, prompt: list[int], completion: str) -> list[int]:
        """Tokenise a completion as the continuation of its prompt, whose own tokens do not change."""
        whole = self._plain(prompt_text + completion)
        start = self._plain(prompt_text)
        if len(whole) > len(start) and whole[: len(start)] == start:
            return whole[len(start) :]
        # Otherwise a token would span prompt and completion; in use, there is always a token boundary between them.
        return self._plain(completion)

    def _find_end_mark(self) -> tuple[int, ...]:
        from jinja2 import TemplateError

        eos = (int(self._tokenizer.eos_token_id),)
        if not self._tokenizer.chat_template:
            return eos
        turns = [{"role": "user", "content": "question"}, {"role": "assistant", "content": _STAND_IN}]
        try:
            laid_out = self._tokenizer.apply_chat_template(turns, tokenize=False)
        except TemplateError:
            return eos
        behind = self._plain(laid_out.rpartition(_STAND_IN)[2])
        places = [place for place, each in enumerate(behind) if each in self._stops]
        return tuple(behind[: places[0] + 1]) if places else eos

    def _begins_plain_text(self) -> bool:
        begin = self._tokenizer.bos_token_id
        return begin is not None and self._tokenizer("a")["input_ids"][:1] == [begin]

    def _plain(self, text: str) -> list[int]:
        return list(self._tokenizer(text, add_special_tokens=False, truncation=False, verbose=False)["input_ids"])


def tokenise_all(
    tokeniser: ExampleTokeniser, examples: Sequence[TrainingExample], *, max_tokens: int
) -> tuple[tuple[TokenisedExample, ...], tuple[str, ...]]:
    """Return the tokenised examples, and the ids of those left out because they exceed ``max_tokens``.

    Raises:
        InvalidInput: as in ``ExampleTokeniser.tokenise``, or every example is too long.
    """
    tokenised = [tokeniser.tokenise(each) for each in examples]
    fitting = tuple(each for each in tokenised if len(each) <= max_tokens)
    if not fitting:
        shortest = min((len(each) for each in tokenised), default=0)
        raise InvalidInput(
            f"no example is left to train on: each of the {len(tokenised)} has more than max_tokens = {max_tokens} "
            f"tokens (the shortest has {shortest})"
            if tokenised
            else "there are no examples to train on",
            field="data",
        )
    return fitting, tuple(each.id for each in tokenised if len(each) > max_tokens)


def collate(examples: Sequence[TokenisedExample], *, pad: int) -> dict[str, Any]:
    """Return a batch: ``input_ids``, ``attention_mask`` and ``labels``, of shape (examples, length of the longest).

    Shorter examples are padded on the right with ``pad``, which is neither attended to nor counted.
    """
    import torch

    longest = max(len(each) for each in examples)
    fill = [longest - len(each) for each in examples]
    return {
        "input_ids": torch.tensor([each.ids + [pad] * n for each, n in zip(examples, fill, strict=True)]),
        "attention_mask": torch.tensor([[1] * len(each) + [0] * n for each, n in zip(examples, fill, strict=True)]),
        "labels": torch.tensor([each.labels + [IGNORED] * n for each, n in zip(examples, fill, strict=True)]),
    }


Item = TypeVar("Item")


def hold_out(
    items: Sequence[Item], groups: Sequence[str], *, share: float, seed: int
) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """Return the items for training and those for validation: all items of a ``share`` of the groups (at least one).

    ``groups`` names the group of each item. The same groups, share and seed give the same choice for any order of the
    items; both parts keep that order.

    Raises:
        InvalidInput: there is only one group, so that none could be held out.
    """
    if not share:
        return tuple(items), ()
    names = sorted(set(groups))
    if len(names) < 2:
        raise InvalidInput(
            "validation_share: all examples belong to one group (document or conversation), so none can be held "
            "out: add examples from other groups, or set validation_share = 0 and patience = 0",
            field="data",
        )
    count = min(max(round(share * len(names)), 1), len(names) - 1)
    held = set(random.Random(seed).sample(names, count))
    pairs = list(zip(items, groups, strict=True))
    return (
        tuple(item for item, group in pairs if group not in held),
        tuple(item for item, group in pairs if group in held),
    )
