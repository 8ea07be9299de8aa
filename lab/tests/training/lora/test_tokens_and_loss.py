"""The tokens that a model reads in training, those that count, and a loss that depends only on the latter."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import InvalidInput
from golden_lab.training.data.examples import ExampleMessage, TrainingExample
from lab.tests.training.lora.colours import colours, recipe, tiny_base
from lab.tests.training.tiny_model import Convention, make_tokenizer

torch = pytest.importorskip("torch")
pytest.importorskip("peft")
pytestmark = pytest.mark.torch

from golden_lab.training.lora.models import load_base, load_tokenizer  # noqa: E402
from golden_lab.training.lora.run import train  # noqa: E402
from golden_lab.training.lora.tokens import (  # noqa: E402
    IGNORED,
    ExampleTokeniser,
    TokenisedExample,
    hold_out,
    tokenise_all,
)
from golden_lab.training.recipes import BaseModelOfRecipe  # noqa: E402

QUESTION = "Wie heißt das Protokoll für PLR? 日本 🎉\n\n"
ENDS = {"llama": "<|eot_id|>", "chatml": "<|im_end|>", "granite": "<|end_of_text|>"}
FROZEN = (
    "<|start_of_role|>user<|end_of_role|>Is it known?<|end_of_text|>\n<|start_of_role|>answerability<|end_of_role|>"
)


def tokenizer(convention: Convention) -> Any:
    return make_tokenizer([QUESTION, FROZEN, "answerable unanswerable"], convention=convention)


def asked(completion: str = "Physical Layer Retransmission", **more: Any) -> TrainingExample:
    turns = (
        ExampleMessage(role="system", content="Answer from the passage."),
        ExampleMessage(role="user", content=QUESTION),
    )
    return TrainingExample(id="a", messages=turns, completion=completion, **more)


def counted(ids: list[int], labels: list[int]) -> list[int]:
    """Return the tokens that count, each of which is its own label."""
    assert all(label in (IGNORED, token) for token, label in zip(ids, labels, strict=True))
    return [label for label in labels if label != IGNORED]


@pytest.mark.parametrize("convention", ["llama", "chatml", "granite"])
def test_loss_covers_the_completion_and_its_end_mark(convention: Convention) -> None:
    made = tokenizer(convention)
    example = ExampleTokeniser(made).tokenise(asked())
    assert made.decode(counted(example.ids, example.labels)) == "Physical Layer Retransmission" + ENDS[convention]
    online = made.apply_chat_template(
        [each.model_dump() for each in asked().messages], add_generation_prompt=True, return_dict=False
    )
    assert list(example.prompt) == online
    assert example.labels == [IGNORED] * len(online) + list(example.completion)


@pytest.mark.parametrize("prompt", ["The passage says: ", "<|begin_of_text|>The passage says: "])
def test_frozen_prompt_begins_like_plain_text_on_a_server(prompt: str) -> None:
    made = tokenizer("llama")
    example = ExampleTokeniser(made).tokenise(TrainingExample(id="a", prompt=prompt, completion="yes"))
    assert list(example.prompt) == made("The passage says: ")["input_ids"]


def test_no_token_spans_prompt_and_completion() -> None:
    made = make_tokenizer(["answerable " * 50], convention="granite")
    tokeniser = ExampleTokeniser(made)
    example = tokeniser.tokenise(TrainingExample(id="a", prompt="answer", completion="able"))
    assert len(made("answerable")["input_ids"]) == 1
    assert made.decode(list(example.prompt)) == "answer"
    assert made.decode(list(example.completion)) == "able<|end_of_text|>"


def test_end_mark_of_the_template_takes_precedence_over_the_tokenizers() -> None:
    """In some models, only the generation settings name the mark that ends a turn."""
    made = tokenizer("chatml")
    turn = made.convert_tokens_to_ids("<|im_end|>")
    made.eos_token = "<|endoftext|>"
    assert made.decode(ExampleTokeniser(made).end_mark) == "<|endoftext|>"
    assert made.decode(ExampleTokeniser(made, stops=[turn]).end_mark) == "<|im_end|>"


def test_completion_that_contains_an_end_mark_is_refused() -> None:
    with pytest.raises(InvalidInput, match="remove the model's end token"):
        ExampleTokeniser(tokenizer("llama")).tokenise(asked("Yes.<|eot_id|> No."))


def test_examples_that_are_too_long_are_left_out_entirely() -> None:
    tokeniser = ExampleTokeniser(tokenizer("llama"))
    examples = (asked(), TrainingExample(id="short", prompt="Yes?", completion="Yes."))
    (kept,), left_out = tokenise_all(tokeniser, examples, max_tokens=16)
    assert (kept.id, left_out) == ("short", ("a",))
    exactly = len(tokeniser.tokenise(asked()))
    assert tokenise_all(tokeniser, examples, max_tokens=exactly)[1] == ()
    assert tokenise_all(tokeniser, examples, max_tokens=exactly - 1)[1] == ("a",)
    with pytest.raises(InvalidInput, match=r"each of the 1 has more than max_tokens = 16 tokens"):
        tokenise_all(tokeniser, [asked()], max_tokens=16)
    with pytest.raises(InvalidInput, match="there are no examples"):
        tokenise_all(tokeniser, [], max_tokens=16)


ITEMS = tuple(range(60))
GROUPS = tuple(f"document {number % 20}" for number in ITEMS)


def test_groups_are_never_split() -> None:
    learned, held = hold_out(ITEMS, GROUPS, share=0.1, seed=3)
    assert sorted(learned + held) == list(ITEMS)
    assert len(held) == 6
    assert not {GROUPS[each] for each in learned} & {GROUPS[each] for each in held}
    assert list(learned) == sorted(learned), "both parts keep their order"
    # The choice depends on the seed, not on the order.
    backwards = hold_out(ITEMS[::-1], GROUPS[::-1], share=0.1, seed=3)[1]
    assert set(backwards) == set(held)
    assert {hold_out(ITEMS, GROUPS, share=0.1, seed=seed)[1] for seed in range(5)} != {held}


@pytest.fixture(scope="module", params=["llama", "granite"])
def base(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    return tiny_base(tmp_path_factory.mktemp(request.param), request.param)


def unlike() -> tuple[TrainingExample, ...]:
    """Return examples of both forms, with prompts and completions of very different lengths."""
    asked, frozen = colours("messages"), colours("frozen")
    return (
        asked[0],
        asked[1].model_copy(update={"completion": "warm, as far as one can tell from here"}),
        frozen[2].model_copy(update={"id": "f2"}),
        frozen[3].model_copy(update={"id": "f3", "prompt": "Hm?"}),
    )


def by_hand(model: Any, rows: Sequence[TokenisedExample]) -> Any:
    """Return the mean cross entropy of completion tokens, one example at a time, without padding, labels or masks."""
    losses = []
    for row in rows:
        logs = torch.log_softmax(model(input_ids=torch.tensor([row.ids])).logits[0], dim=-1)
        losses += [-logs[len(row.prompt) - 1 + place, token] for place, token in enumerate(row.completion)]
    return torch.stack(losses).mean()


@pytest.mark.parametrize(("batch_size", "accumulation"), [(4, 1), (1, 4)])
def test_trainer_loss_equals_completion_loss(tmp_path: Path, base: Path, batch_size: int, accumulation: int) -> None:
    """For any division of a batch, all tokens have equal weight, and the first loss is that of the base model."""
    lesson = recipe(tmp_path, epochs=1, batch_size=batch_size, accumulation=accumulation)
    result = train(lesson, unlike(), tmp_path / "run", model=str(base))
    tokeniser = ExampleTokeniser(load_tokenizer(str(base)))
    expected = by_hand(
        load_base(BaseModelOfRecipe(name=str(base))), [tokeniser.tokenise(each) for each in unlike()]
    ).item()
    assert result.training_loss_before == pytest.approx(expected, abs=1e-4)
    assert result.training_loss_after == result.training_loss_before
