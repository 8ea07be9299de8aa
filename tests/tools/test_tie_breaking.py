"""A second judge, asked only where the first one's verdict lies close."""

import pytest
from pydantic import BaseModel

from contracts.errors import ChatUnavailable, InvalidInput, MalformedReply
from contracts.provenance import Provenance
from tools.degrading import breaking_ties


class Weight(BaseModel, frozen=True):
    """A verdict."""

    grams: int
    provenance: Provenance


class Scale:
    """Weighs, or raises, and remembers what it was given."""

    def __init__(self, answer: int | Exception, name: str, *, model: str = "", milliseconds: float = 0.0) -> None:
        self._answer = answer
        self._provenance = Provenance(implementation=name, model=model, milliseconds=milliseconds)
        self.weighed: list[tuple[str, int]] = []

    async def weigh(self, thing: str, *, times: int = 1) -> Weight:
        self.weighed.append((thing, times))
        if isinstance(self._answer, Exception):
            raise self._answer
        return Weight(grams=self._answer * times, provenance=self._provenance)


class Clock:
    """Does something else."""

    async def tell(self) -> Weight:
        raise AssertionError("nobody asked for the time")


async def heavy_or_light(weight: Weight, thing: str, *, times: int = 1) -> bool:
    """Is it hard to say whether it weighs more than 100 g?"""
    return thing == "a stone" and abs(weight.grams - 100) < 10


@pytest.mark.parametrize("grams", [0, 90, 110, 500])
async def test_a_clear_verdict_stands_and_nobody_else_is_asked(grams: int) -> None:
    first, second = Scale(grams, "embedded"), Scale(7, "llm")
    weight = await breaking_ties(first, second, heavy_or_light).weigh("a stone")
    assert weight == Weight(grams=grams, provenance=Provenance(implementation="embedded"))
    assert second.weighed == []


@pytest.mark.parametrize("grams", [91, 100, 109])
async def test_a_close_verdict_is_broken_by_the_second_judge_whose_verdict_says_so(grams: int) -> None:
    first, second = Scale(grams, "embedded", milliseconds=3.0), Scale(7, "llm", model="house", milliseconds=500.0)
    weight = await breaking_ties(first, second, heavy_or_light).weigh("a stone", times=1)
    assert weight.grams == 7
    assert (weight.provenance.implementation, weight.provenance.model) == ("llm", "house")
    assert weight.provenance.tie == "the embedded verdict lay close; house broke the tie"
    assert weight.provenance.milliseconds == 503.0
    assert (first.weighed, second.weighed) == ([("a stone", 1)], [("a stone", 1)])


async def test_what_was_asked_may_say_that_nothing_hangs_on_it() -> None:
    second = Scale(7, "llm")
    assert (await breaking_ties(Scale(100, "embedded"), second, heavy_or_light).weigh("a feather")).grams == 100
    assert second.weighed == []


@pytest.mark.parametrize("error", [ChatUnavailable("No answer in 60 s."), MalformedReply("It names no label.")])
async def test_where_the_second_judge_is_away_the_close_verdict_stands_and_says_so(error: Exception) -> None:
    first = Scale(100, "embedded", milliseconds=3.0)
    weight = await breaking_ties(first, Scale(error, "llm"), heavy_or_light).weigh("a stone")
    assert (weight.grams, weight.provenance.implementation) == (100, "embedded")
    assert str(error) in weight.provenance.degraded
    assert weight.provenance.tie.endswith("asked in vain")
    assert weight.provenance.milliseconds == 3.0
    assert len(first.weighed) == 1, "it is not weighed again"


async def test_refusing_raises_on_a_close_verdict_only() -> None:
    away = Scale(ChatUnavailable("No answer in 60 s."), "llm")
    with pytest.raises(ChatUnavailable):
        await breaking_ties(Scale(100, "embedded"), away, heavy_or_light, refuse=True).weigh("a stone")
    clear = await breaking_ties(Scale(500, "embedded"), away, heavy_or_light, refuse=True).weigh("a stone")
    assert (clear.grams, clear.provenance.degraded) == (500, "")


async def test_other_errors_are_the_askers() -> None:
    for first, second in ((InvalidInput("No stone."), 7), (100, InvalidInput("No stone."))):
        with pytest.raises(InvalidInput):
            await breaking_ties(Scale(first, "embedded"), Scale(second, "llm"), heavy_or_light).weigh("a stone")


def test_two_judges_that_do_different_things_are_refused() -> None:
    scale: object = Scale(1, "embedded")
    with pytest.raises(TypeError, match="Scale"):
        breaking_ties(scale, Clock(), heavy_or_light)
