"""A model in this process: what it writes, what it measures, how it stops, and which adapter speaks."""

import asyncio
import math
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import ChatUnavailable, ConfigurationError
from golden_lab.local_chat import LocalChat
from golden_lab.local_chat.pieces import GrowingText
from lab.tests.training.taught_model import make_adapter, teach
from lab.tests.training.tiny_model import make_tiny_model
from tools.chat.base import ChatMessage, ChatRequest
from tools.chat.refusal import ChatRefused, ChatTooLong, ChatWithout

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

QUESTION, TEXT = "What is tPROG?", "The program time is 700 µs."
ASKED = ChatRequest(messages=(ChatMessage(role="user", content=QUESTION),), max_tokens=40)
PROMPT = (
    "<|im_start|>system\nYou are helpful.<|im_end|>\n<|im_start|>user\nWhat is tPROG?<|im_end|>\n"
    "<|im_start|>assistant\n"
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    import torch

    torch.set_num_threads(1)
    root = tmp_path_factory.mktemp("local")
    base = teach(make_tiny_model(root / "base", [TEXT, QUESTION], convention="chatml"), [(PROMPT, TEXT)])
    return {
        "base": base,
        "loud": make_adapter(base, root / "loud", seed=1),
        "other.one": make_adapter(base, root / "other", rank=4, seed=2),
        "silent": make_adapter(base, root / "silent", scale=0.0),
    }


@pytest.fixture(scope="module")
def loaded(folders: dict[str, Path]) -> LocalChat:
    adapters = {name: folder for name, folder in folders.items() if name != "base"}
    return LocalChat.load(str(folders["base"]), adapters)


@pytest.fixture
async def chat(loaded: LocalChat) -> AsyncIterator[LocalChat]:
    yield loaded
    await loaded.close()


async def test_messages_go_through_the_chat_template_and_a_prompt_goes_as_it_is(chat: LocalChat) -> None:
    by_messages = await chat.complete(ASKED)
    by_prompt = await chat.complete(replace(ASKED, messages=(), prompt=PROMPT))
    assert (by_messages.text, by_messages.finish_reason) == (TEXT, "stop")
    assert by_prompt == by_messages
    assert by_messages.prompt_tokens > 10
    assert by_messages.tokens is None


async def test_log_probabilities_are_those_of_one_pass_over_the_whole_text(
    chat: LocalChat, folders: dict[str, Path]
) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    reply = await chat.complete(replace(ASKED, top_logprobs=5))
    tokenizer: Any = AutoTokenizer.from_pretrained(folders["base"])
    model: Any = AutoModelForCausalLM.from_pretrained(folders["base"])
    asked = tokenizer(PROMPT)["input_ids"]
    said = tokenizer(TEXT)["input_ids"]
    with torch.no_grad():
        measured = torch.log_softmax(model(torch.tensor([asked + said])).logits[0], dim=-1)
    expected = [float(measured[len(asked) - 1 + place, token]) for place, token in enumerate(said)]
    assert reply.tokens is not None
    assert [token.logprob for token in reply.tokens] == pytest.approx(expected, abs=1e-4)
    assert "".join(token.text for token in reply.tokens) == TEXT
    for token in reply.tokens:
        assert len(token.options) == 5
        assert (token.text, token.logprob) == (token.options[0].text, token.options[0].logprob), "greedy"
        assert sum(math.exp(option.logprob) for option in token.options) <= 1.0


async def test_each_adapter_speaks_under_its_name_and_the_base_without_any(chat: LocalChat) -> None:
    texts = {name: (await chat.complete(replace(ASKED, model=name))).text for name in ("", *chat.models)}
    assert texts[""] == texts["base"] == texts["silent"] == TEXT
    assert len({texts["loud"], texts["other.one"], TEXT}) == 3
    assert (await chat.complete(replace(ASKED, model="loud"))).model == "loud"
    assert (await chat.complete(ASKED)).text == TEXT, "the base again, after an adapter"
    with pytest.raises(ChatWithout, match=r"no model 'nobody' here; there are: base, loud, other\.one, silent"):
        await chat.complete(replace(ASKED, model="nobody"))


async def test_a_reply_ends_at_a_stop_at_its_length_or_at_the_window(chat: LocalChat) -> None:
    stopped = await chat.complete(replace(ASKED, stop=("time is 7", "never")))
    assert (stopped.text, stopped.finish_reason) == ("The program ", "stop")
    streamed = [piece async for piece in chat.stream(replace(ASKED, stop=("time is 7", "never")))]
    assert "".join(streamed) == "The program "
    cut = await chat.complete(replace(ASKED, max_tokens=2))
    assert (cut.text, cut.finish_reason, cut.completion_tokens, cut.truncated) == ("The program", "length", 2, True)
    with pytest.raises(ChatTooLong, match="2048 tokens") as caught:
        await chat.complete(replace(ASKED, max_tokens=2040))
    assert (caught.value.max_tokens, caught.value.prompt_tokens) == (2048, cut.prompt_tokens)
    window = await chat.window("loud")
    assert window.max_tokens == 2048
    assert window.counter.count(TEXT) == len((await chat.complete(replace(ASKED, top_logprobs=1))).tokens or ())


async def test_a_seed_draws_the_same_again_and_another_draws_otherwise(chat: LocalChat) -> None:
    hot = replace(ASKED, temperature=5.0, max_tokens=12)
    first, again, other = [(await chat.complete(replace(hot, seed=seed))).text for seed in (3, 3, 4)]
    assert first == again != other
    assert first != TEXT
    drawn = {(await chat.complete(hot)).text for _ in range(3)}
    assert len(drawn) > 1, "without a seed it draws anew"


async def test_replies_come_one_after_the_other_and_a_cancelled_one_stops_at_once(chat: LocalChat) -> None:
    endless = replace(ASKED, temperature=9.0, seed=1, max_tokens=1900)
    long = asyncio.create_task(chat.complete(endless))
    waiting = asyncio.create_task(chat.complete(replace(ASKED, model="loud")))
    after = asyncio.create_task(chat.complete(ASKED))
    async with aclosing(chat.stream(ASKED)) as pieces:
        await asyncio.sleep(0)
        waiting.cancel()
        long.cancel()
        await asyncio.wait([long, waiting])
        assert long.cancelled()
        assert await anext(pieces) == "The"
    assert (await after).text == TEXT


async def test_closing_ends_what_is_under_way_and_what_waits(chat: LocalChat) -> None:
    endless = replace(ASKED, temperature=9.0, seed=1, max_tokens=1900)
    calls = [asyncio.create_task(chat.complete(each)) for each in (endless, ASKED)]
    await asyncio.sleep(0)
    await chat.close()
    for call in calls:
        with pytest.raises(ChatUnavailable, match="was closed before its answer was whole"):
            await call
    assert (await chat.complete(ASKED)).text == TEXT


async def test_what_cannot_be_asked_is_refused_in_words(folders: dict[str, Path], chat: LocalChat) -> None:
    with pytest.raises(ChatRefused, match="empty"):
        await chat.complete(replace(ASKED, messages=(), prompt=""))
    assert (await chat.complete(replace(ASKED, json_schema={"type": "object"}))).text == TEXT, "passed over"
    bare = LocalChat.load(str(folders["base"]))
    bare._weights.tokenizer.chat_template = None
    with pytest.raises(ChatRefused, match="no chat template"):
        await bare.complete(ASKED)
    await bare.close()


@pytest.mark.parametrize(
    ("base", "adapters", "said"),
    [
        ("nowhere", {}, "no causal language model"),
        ("base", {"mine": "nowhere"}, "there is no adapter"),
        ("base", {"base": "loud"}, "both called base"),
        ("small", {"mine": "loud"}, "does not go onto"),
    ],
)
def test_what_cannot_be_loaded_is_named(
    base: str, adapters: dict[str, str], said: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    if base == "small":
        folders = {**folders, "small": make_tiny_model(tmp_path / "small", [TEXT], convention="chatml", hidden=16)}
    place = {name: folders.get(name, tmp_path / name) for name in (base, *adapters.values())}
    with pytest.raises(ConfigurationError, match=said):
        LocalChat.load(str(place[base]), {name: place[folder] for name, folder in adapters.items()})


def spoken(pieces: list[bytes], stops: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield what comes of tokens that are these bytes."""
    text = GrowingText(lambda ids: b"".join(pieces[each] for each in ids).decode(errors="replace"), stops)
    for number in range(len(pieces)):
        yield text.add(number)
    yield text.finish()


def test_a_letter_of_several_tokens_comes_when_it_is_whole() -> None:
    assert list(spoken([b"5 ", b"\xc2", b"\xb5", b"s"])) == ["5 ", "", "µ", "s", ""]
    assert "".join(spoken([b"a", b"\xf0\x9f"])) == "a\ufffd", "what never becomes a letter is shown at the end"


def test_what_may_begin_a_stop_is_held_until_it_is_none() -> None:
    assert list(spoken([b"one", b" st", b"ill", b" sto", b"p", b"never"], (" stop",))) == [
        "one", "", " still", "", "", "", "",
    ]  # fmt: skip
    assert list(spoken([b"a", b"b"], ("bc",))) == ["a", "", "b"]
