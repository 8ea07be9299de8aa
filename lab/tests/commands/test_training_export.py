"""The prompt that an export declares."""

import pytest

from contracts.errors import InvalidInput
from golden_lab.wiring.training_prompts import trained_prompt
from golden_retriever.settings import load_settings


def test_the_prompt_of_an_intrinsic_is_the_one_in_force() -> None:
    settings = load_settings()
    published = trained_prompt(settings, "answerability")
    assert published.adapter is not None
    assert (published.adapter.model, published.in_messages) == ("answerability_prediction", False)
    own = trained_prompt(settings, "certainty", messages=True)
    assert own.in_messages
    assert own.prompt_file is not None
    assert own.prompt_file.name == "llm.toml"
    with pytest.raises(InvalidInput, match="no adapter is trained for 'answerabilty'"):
        trained_prompt(settings, "answerabilty")
