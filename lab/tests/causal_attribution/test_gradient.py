"""Attribution by gradients, where the answer is known by hand."""

import numpy as np
import pytest

from contracts.errors import InvalidInput

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

from golden_lab.causal_attribution import TokenAttributor  # noqa: E402
from golden_lab.causal_attribution.gradient import InputGradientAttributor, IntegratedGradientsAttributor  # noqa: E402
from lab.tests.causal_attribution.models import linear_model, square_model, tiny_llama  # noqa: E402

PROMPT, ANSWER = (3, 1, 4, 1, 5), (9, 2)


def by_hand(prompt: tuple[int, ...], before: tuple[int, ...], target: int, *, above_mean: bool = False) -> np.ndarray:
    """The relevance of each token of the prompt for ``target``, which follows ``prompt`` and ``before``."""
    module = linear_model().module
    ids = [*prompt, *before]
    weight = module.weight(len(ids)).numpy()
    table, out = module.table.weight.detach().numpy(), module.out.detach().numpy()
    table = table - table.mean(axis=0) if above_mean else table
    return np.array([weight[place] * table[token] @ out[target] for place, token in enumerate(ids)])


@pytest.mark.parametrize("kind", [InputGradientAttributor, IntegratedGradientsAttributor])
def test_of_a_linear_model_the_relevance_is_exact(kind: type[TokenAttributor]) -> None:
    found = kind(linear_model()).attribute(PROMPT, ANSWER)  # type: ignore[call-arg]
    assert found.scores.shape == (2, 5)
    assert found.targets == ANSWER
    for place, target in enumerate(ANSWER):
        expected = by_hand(PROMPT, ANSWER[:place], target, above_mean=kind is IntegratedGradientsAttributor)
        np.testing.assert_allclose(found.scores[place], expected[: len(PROMPT)], rtol=1e-9)
        np.testing.assert_allclose(found.whole[place], expected.sum(), rtol=1e-9)
    np.testing.assert_allclose(found.conservation(), 1, rtol=1e-9)


def test_the_first_tokens_share_is_its_part_of_the_prompts_relevance() -> None:
    found = InputGradientAttributor(linear_model()).attribute(PROMPT, (9,))
    absolute = np.abs(by_hand(PROMPT, (), 9))
    np.testing.assert_allclose(found.first_token_share(), [absolute[0] / absolute.sum()], rtol=1e-9)


def test_integrated_gradients_account_for_all_where_the_plain_gradient_does_not() -> None:
    plain = InputGradientAttributor(square_model()).attribute(PROMPT, ANSWER)
    integrated = IntegratedGradientsAttributor(square_model(), steps=8).attribute(PROMPT, ANSWER)
    # Of a square, input x gradient is twice the value; the average gradient on the way gives it once.
    np.testing.assert_allclose(plain.conservation(), 2, rtol=1e-9)
    np.testing.assert_allclose(integrated.conservation(), 1, rtol=1e-9)


def test_more_steps_come_closer_on_a_transformer() -> None:
    model = tiny_llama()
    prompt, answer = tuple(range(5, 25)), (7, 30, 2)
    errors = []
    for steps in (1, 16):
        found = IntegratedGradientsAttributor(model, steps=steps).attribute(prompt, answer)
        errors.append(float(np.abs(found.whole - found.logits).mean()))
    assert errors[1] < 0.25 * errors[0]


def test_each_answer_token_is_attributed_as_if_it_came_last() -> None:
    model = tiny_llama()
    prompt, answer = tuple(range(5, 25)), (7, 30, 2)
    together = InputGradientAttributor(model).attribute(prompt, answer)
    for place in range(len(answer)):
        alone = InputGradientAttributor(model).attribute((*prompt, *answer[:place]), answer[place : place + 1])
        np.testing.assert_allclose(together.scores[place], alone.scores[0][: len(prompt)], rtol=1e-3, atol=1e-7)
        np.testing.assert_allclose(together.logits[place], alone.logits[0], rtol=1e-4)


def test_the_models_own_next_tokens_are_its_most_probable_ones() -> None:
    model = tiny_llama()
    ids = model.next_ids((5, 6, 7), 3)
    for place, written in enumerate(ids):
        logits = model.logits(model.embed((5, 6, 7, *ids[:place])))[-1]
        assert int(logits.argmax()) == written


@pytest.mark.parametrize(("prompt", "answer", "named"), [((), (1,), "at least one"), ((1,), (), "at least one"),
                                                         (tuple([1] * 250), tuple([2] * 10), "256")])  # fmt: skip
def test_what_cannot_be_attributed_is_refused(prompt: tuple[int, ...], answer: tuple[int, ...], named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        InputGradientAttributor(tiny_llama()).attribute(prompt, answer)


def test_no_parameter_collects_a_gradient() -> None:
    model = tiny_llama()
    InputGradientAttributor(model).attribute((1, 2, 3), (4,))
    assert all(parameter.grad is None for parameter in model.module.parameters())
