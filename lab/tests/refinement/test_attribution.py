"""The passages that a draft relies on, for models with known attribution and a Llama with random weights."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from contracts.errors import ConfigurationError
from contracts.text import Passage
from lab.tests.training.tiny_model import make_tiny_model, make_tokenizer
from tests.conformance.reading_cases import make_passage
from tests.hashing_embedder import HashingEmbedder

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

from golden_lab.refinement.attribution import (  # noqa: E402
    flag_by_attribution,
    lay_out,
    token_relevance,
    used_passages,
)
from golden_lab.refinement.perturbation import CausalModel, measure_faithfulness  # noqa: E402
from golden_lab.wiring.engines import build_engine  # noqa: E402
from golden_lab.wiring.refinement import build_study  # noqa: E402
from golden_retriever.settings import Settings  # noqa: E402

QUESTION, DRAFT = "How long does the DLL lock ?", "It needs 512 cycles ."
TEXTS = (
    "The DLL needs 512 cycles .",
    "Penguins swim in cold water .",
    "VPP is 2.5 V .",
    "tRC is 45 ns .",
    "Bread is baked for an hour .",
)
PASSAGES = tuple(map(make_passage, TEXTS))


class LinearModule(torch.nn.Module):
    """At each position, the logits are a matrix times the sum of all embeddings so far; the first has most weight.

    Computed by hand, the relevance of token i for the logit of y is ``weight[i] * (E[i] . W[y])``.
    """

    def __init__(self, vocabulary: int = 12) -> None:
        super().__init__()
        made = torch.Generator().manual_seed(7)
        self.table = torch.nn.Embedding(vocabulary, 5)
        self.table.weight.data = torch.randn((vocabulary, 5), generator=made, dtype=torch.float64)
        self.out = torch.nn.Parameter(torch.randn((vocabulary, 5), generator=made, dtype=torch.float64))

    def get_input_embeddings(self) -> torch.nn.Embedding:
        return self.table

    def forward(self, inputs_embeds: torch.Tensor) -> Any:
        weight = 1.0 / torch.arange(1, inputs_embeds.shape[1] + 1, dtype=torch.float64)
        return SimpleNamespace(logits=(inputs_embeds * weight[None, :, None]).cumsum(dim=1) @ self.out.T)


async def second_is_irrelevant(_: str, passages: Sequence[Passage]) -> list[bool]:
    return [index == 1 for index in range(len(passages))]


def test_relevance_is_exact_for_a_linear_model() -> None:
    prompt, answer, module = (3, 1, 4, 1, 5), (9, 2), LinearModule()
    found = token_relevance(CausalModel(module=module, tokenizer=None), prompt, answer)
    table, out = module.table.weight.detach().numpy(), module.out.detach().numpy()
    expected = [[table[token] @ out[target] / (place + 1) for place, token in enumerate(prompt)] for target in answer]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_attribution_is_faithful_if_its_top_tokens_carry_the_answer() -> None:
    module = LinearModule()
    for weights in (module.table.weight.data, module.out.data):
        weights.zero_()
    # Only token 3 makes token 11 probable.
    module.table.weight.data[3] = 5.0
    module.out.data[11] = 5.0
    model, places = CausalModel(module=module, tokenizer=None), np.arange(10)

    def area(*relevance: float) -> float:
        measured = measure_faithfulness(model, range(10), [11], places, np.array(relevance))
        assert measured is not None
        assert abs(measured.random_abpc) < 0.7
        return measured.abpc

    # The token is missing in four of the five steps, which lowers the probability from almost 1 to 1/12.
    assert area(*(float(token == 3) for token in range(10))) == pytest.approx(0.8 * 11 / 12, abs=1e-3)
    assert area(*(-float(token == 3) for token in range(10))) == pytest.approx(-0.8 * 11 / 12, abs=1e-3)


def test_passage_counts_as_used_if_it_ranks_high_often_enough() -> None:
    # Of ten tokens, passage 0 is always first (with either sign), then 1 and 2; 3 is third three times, 4 twice.
    by_passage = np.zeros((10, 5))
    by_passage[:, 0], by_passage[:, 1] = [5e6, -5] * 5, 3
    by_passage[:3, 3] = -2
    by_passage[3:5, 4] = 2
    assert used_passages(by_passage) == (0, 1, 3)
    assert used_passages(np.zeros((5, 3))) == used_passages(np.zeros((0, 3))) == ()


async def test_used_but_irrelevant_passage_is_flagged() -> None:
    # The embeddings of two words raise every token of the draft; other embeddings have no effect.
    tokenizer = make_tokenizer([*TEXTS, QUESTION, DRAFT])
    module = LinearModule(len(tokenizer))
    module.table.weight.data.zero_()
    module.table.weight.data[tokenizer.convert_tokens_to_ids(["Penguins", "tRC"])] = 1.0
    module.out.data = module.out.data.abs() + 0.1
    model = CausalModel(module=module, tokenizer=tokenizer)
    use = await flag_by_attribution(model, second_is_irrelevant)(QUESTION, DRAFT, PASSAGES)
    assert (use.used, use.flagged) == ((1, 3), (1,))


@pytest.mark.parametrize("chat", [False, True])
def test_each_passage_is_found_in_the_prompt(chat: bool) -> None:
    tokenizer = make_tokenizer([*TEXTS, QUESTION])
    tokenizer.chat_template = tokenizer.chat_template if chat else None
    ids, spans = lay_out(tokenizer, QUESTION, [*TEXTS, TEXTS[0]])
    assert len(spans) == 6
    for number, (text, span) in enumerate(zip([*TEXTS, TEXTS[0]], spans, strict=True), 1):
        assert tokenizer.decode(ids[span.start : span.end]).strip() == f"[{number}] {text}"
    assert tokenizer.decode(ids[spans[-1].end :]).strip().startswith("Question")


async def test_study_can_flag_with_the_model_in_a_folder(tmp_path: Path) -> None:
    make_tiny_model(tmp_path / "model", [*TEXTS, QUESTION])
    given = {"judge": "none", "engine": build_engine(Settings(), embedder=HashingEmbedder())}
    settings = Settings(llm="http://127.0.0.1:9/v1#nobody")
    parts, _ = build_study(settings, attribution_model=str(tmp_path / "model"), **given)  # type: ignore[arg-type]
    assert parts.flag is not None
    use = await parts.flag(QUESTION, TEXTS[0], PASSAGES)
    # Three of five passages are among the first three for each token.
    assert len(use.used) >= 3
    assert use.faithfulness is not None
    with pytest.raises(ConfigurationError, match="cannot be loaded"):
        build_study(settings, attribution_model=str(tmp_path), **given)  # type: ignore[arg-type]
