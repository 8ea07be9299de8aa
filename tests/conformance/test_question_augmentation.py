"""Every implementation of QuestionAugmenter keeps the contract."""

import pytest

from contracts.jargon import Mention, Reading, Sense
from contracts.text import Span
from intrinsics.question_augmentation.base import QuestionAugmenter
from intrinsics.question_augmentation.template import TemplateQuestionAugmenter


@pytest.fixture(params=["template"])
def augmenter(request: pytest.FixtureRequest) -> QuestionAugmenter:
    return {"template": TemplateQuestionAugmenter}[request.param]()


async def test_the_augmented_text_holds_words_definition_and_context(augmenter: QuestionAugmenter) -> None:
    mention = Mention(text="DLL", span=Span(12, 15), term="DLL", known=True)
    sense = Sense(id=1, term="DLL", extended_name="Delay-Locked Loop")
    chosen = Reading(mention=mention, status="chosen", sense=sense)
    result = await augmenter.augment("When is the DLL off?", "Interfaces", [chosen])
    assert result.question == "When is the DLL off?"
    assert all(part in result.text for part in ("When is the DLL off?", "Delay-Locked Loop", "Interfaces"))
    assert result.readings == (chosen,)
    assert result.context == "Interfaces"
