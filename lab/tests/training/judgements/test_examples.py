"""Each case becomes the prompt of its judgement with the reply that this judgement reads as right."""

import datetime
from functools import partial
from typing import Any

import pytest

from contracts.errors import InvalidInput
from golden_lab.training.data.examples import TrainingExample
from golden_lab.training.judgements.examples import day_of, make_example
from golden_lab.training.judgements.forms import CASE_FORMS
from golden_lab.wiring.training_prompts import adapter_to_train, online_judgement
from golden_retriever.settings import Settings
from lab.tests.training.judgements.intrinsic_cases import ASKED, HALL, PROMPTED, PUBLISHED, PUMP


async def made(name: str, fields: dict[str, Any], *, messages: bool = False, seed: int = 0) -> TrainingExample:
    settings = Settings()
    form = CASE_FORMS[name]
    case = form.case.model_validate({"id": "one", "group": "pump", "source": "a person", **fields})
    adapter = adapter_to_train(settings, name, messages=messages)
    return await make_example(form, case, partial(online_judgement, settings, name), adapter, seed=seed)


def test_every_intrinsic_that_runs_on_adapters_has_a_form() -> None:
    from golden_retriever.profiles import ENGINES

    assert set(CASE_FORMS) == {name for name, choice in ENGINES.items() if "adapter" in choice.engines}
    assert set(CASE_FORMS) == {*PUBLISHED, *PROMPTED}


async def test_prompts_name_days_drawn_by_the_seed() -> None:
    fields = PUBLISHED["answerability"][0]
    first, again, other = [await made("answerability", fields, seed=seed) for seed in (0, 0, 1)]
    assert first == again != other
    days = {day_of(str(number), 0) for number in range(400)}
    assert len(days) > 300
    assert min(days) >= datetime.date(2025, 1, 1)
    assert max(days) < datetime.date(2030, 1, 1)
    day = day_of("one", 0)
    assert f"Today's Date: {day:%B %d, %Y}." in first.prompt


async def test_a_case_that_is_not_read_as_right_is_refused(subtests: pytest.Subtests) -> None:
    for name, fields, words in [
        (
            "answerability",
            {"question": "Which oil does the XR77 take?", "passages": [PUMP], "answerable": True},
            "read as unanswerable, not as answerable",
        ),
        ("context_relevance", {"question": ASKED, "passage": PUMP, "label": "misleading"}, "no word for misleading"),
        (
            "citation",
            {
                "answer": ["The canteen opens at 11:30."],
                "passages": [PUMP, HALL],
                "citations": [{"sentence": 0, "passage": 0, "passage_sentences": [1]}],
            },
            r"read as \[\], not as \[\(0, 0, 1\)\]",
        ),
        (
            "faithfulness",
            {
                "answer": ["The P-200 pump runs at 230 V."],
                "passages": [PUMP],
                "judged": [{"label": "faithful", "reason": "It is said."}],
            },
            r"read as \['unfaithful'\], not as \['faithful'\]",
        ),
        (
            "answerability",
            {**PUBLISHED["answerability"][0], "definitions": [{"term": "MCU", "meaning": "a controller"}]},
            "'MCU' does not stand in the question",
        ),
    ]:
        with subtests.test(words=words), pytest.raises(InvalidInput, match=words):
            await made(name, fields)
