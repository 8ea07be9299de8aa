"""Which passages a draft leans on, on a model that leans where the test makes it lean."""

from collections.abc import Sequence

import pytest

from contracts.text import Passage
from tests.conformance.reading_cases import make_passage

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

from golden_lab.causal_attribution import ConcentrationRule, RankRule  # noqa: E402
from golden_lab.causal_attribution.gradient import InputGradientAttributor  # noqa: E402
from golden_lab.causal_attribution.model import LocalCausalModel  # noqa: E402
from golden_lab.causal_attribution.refiner import AttributionSignal  # noqa: E402
from lab.tests.causal_attribution.models import LinearCausalModule, tiny_llama  # noqa: E402
from lab.tests.causal_attribution.tokens import word_tokenizer  # noqa: E402

QUESTION, DRAFT = "How long does the DLL lock ?", "It needs 512 cycles ."
TEXTS = ("The DLL needs 512 cycles .", "Penguins swim in cold water .", "VPP is 2.5 V .", "tRC is 45 ns .")
PASSAGES = tuple(make_passage(text) for text in TEXTS)


def leaning_on(word: str, *, most_tokens: int = 0) -> LocalCausalModel:
    """A linear model of which the word's embedding raises every token of the draft, and no other does anything."""
    tokenizer = word_tokenizer([*TEXTS, QUESTION, DRAFT])
    module = LinearCausalModule(vocabulary=len(tokenizer))
    module.weight = lambda places: torch.ones(places, dtype=torch.float64)  # type: ignore[method-assign]
    module.table.weight.data.zero_()
    module.table.weight.data[tokenizer.convert_tokens_to_ids(word)] = 1.0
    module.out.data = module.out.data.abs() + 0.1
    return LocalCausalModel(module, tokenizer, name="leaning", most_tokens=most_tokens)


async def second_is_irrelevant(_: str, passages: Sequence[Passage]) -> list[bool]:
    return [index == 1 for index in range(len(passages))]


def signal(model: LocalCausalModel, **options: object) -> AttributionSignal:
    return AttributionSignal(model, InputGradientAttributor(model), ranks=RankRule(top=1), **options)  # type: ignore[arg-type]


async def test_a_used_passage_that_bears_on_nothing_is_flagged() -> None:
    use = await signal(leaning_on("Penguins"), irrelevant=second_is_irrelevant).flag(QUESTION, DRAFT, PASSAGES)
    assert (use.used, use.flagged) == ((1,), (1,))
    assert "passage 2" in use.reason


async def test_a_used_passage_that_bears_on_the_question_is_not() -> None:
    use = await signal(leaning_on("tRC"), irrelevant=second_is_irrelevant).flag(QUESTION, DRAFT, PASSAGES)
    assert (use.used, use.flagged, use.reason) == ((3,), (), "")


async def test_without_a_judge_of_relevance_concentration_flags() -> None:
    use = await signal(leaning_on("VPP")).flag(QUESTION, DRAFT, PASSAGES)
    assert use.flagged == (2,)
    lenient = await signal(leaning_on("VPP"), concentration=ConcentrationRule(ratio=4.1)).flag(
        QUESTION, DRAFT, PASSAGES
    )
    assert lenient.flagged == ()


async def test_a_passage_without_room_is_neither_used_nor_flagged() -> None:
    model = leaning_on("tRC")
    model.most_tokens = 50
    use = await signal(model, irrelevant=second_is_irrelevant).flag(QUESTION, DRAFT, PASSAGES)
    assert use.used == ()


@pytest.mark.parametrize(("draft", "passages"), [("", PASSAGES), (DRAFT, ())])
async def test_of_nothing_nothing_is_flagged(draft: str, passages: tuple[Passage, ...]) -> None:
    use = await signal(leaning_on("tRC"), irrelevant=second_is_irrelevant).flag(QUESTION, draft, passages)
    assert (use.used, use.flagged) == ((), ())


async def test_it_flags_over_a_real_transformer() -> None:
    tokenizer = word_tokenizer([*TEXTS, QUESTION, DRAFT], chat=True)
    model = tiny_llama(tokenizer, vocabulary=len(tokenizer))

    async def all_irrelevant(_: str, passages: Sequence[Passage]) -> list[bool]:
        return [True] * len(passages)

    attribution = AttributionSignal(model, InputGradientAttributor(model), irrelevant=all_irrelevant)
    use = await attribution.flag(QUESTION, DRAFT, PASSAGES)
    # Three of four passages are among the first three for each token.
    assert use.used
    assert use.flagged == use.used
    assert attribution.name == "attribution (input-x-gradient)"
