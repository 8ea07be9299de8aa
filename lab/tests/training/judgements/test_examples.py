"""Each case becomes exactly the prompt that the bot sends, with the reply that is parsed as the correct verdict."""

import datetime
from functools import partial
from typing import Any

import pytest
from fastapi import Response

from contracts.errors import InvalidInput
from golden_lab.empty_library import EmptyLexicalIndex, EmptySearcher
from golden_lab.memory_dictionary import InMemoryJargonDictionary
from golden_lab.training.data.examples import TrainingExample
from golden_lab.training.judgements.examples import day_of, make_example
from golden_lab.training.judgements.forms import CASE_FORMS, Online
from golden_lab.wiring.training_prompts import adapter_to_train, online_judgement
from golden_retriever.settings import Settings
from golden_retriever.wiring.chat import build_chat
from golden_retriever.wiring.engines import EngineChooser
from golden_retriever.wiring.judgements import build_judge, build_services
from tests.golden_retriever.chat_server import ChatServer, chatting
from tests.hashing_embedder import HashingEmbedder
from tools.chat.base import ChatModel

PUMP = {
    "text": "The P-200 pump runs at 48 V. Its bearing is greased every 500 hours.",
    "title": "Pump P-200",
    "headings": ["Operation"],
}
HALL = {"text": "The canteen opens at 11:30. It closes at 14:00.", "title": "Site"}
ASKED = "At which voltage does the P-200 pump run?"

# For each intrinsic with a published adapter: a case, and text from the expected reply.
PUBLISHED: dict[str, tuple[dict[str, Any], str]] = {
    "question_rewriting": (
        {
            "history": [
                {"role": "user", "text": "At which voltage does the P-200 pump run?"},
                {"role": "assistant", "text": "At 48 V."},
            ],
            "question": "And how often is it greased?",
            "rewritten": "How often is the P-200 pump greased?",
        },
        '{"rewritten_question": "How often is the P-200 pump greased?"}',
    ),
    "context_relevance": (
        {"question": ASKED, "passage": PUMP, "label": "partial"},
        '{"context_relevance": "partially relevant"}',
    ),
    "answerability": (
        {
            "question": "Which PSU does the P-200 pump need?",
            "definitions": [{"term": "PSU", "meaning": "power supply unit"}],
            "passages": [PUMP, HALL],
            "answerable": False,
        },
        "unanswerable",
    ),
    "certainty": ({"question": ASKED, "answer": "It runs at 48 V.", "passages": [PUMP], "percent": 5}, "05%"),
    "faithfulness": (
        {
            "question": ASKED,
            "answer": ["Sure!", "The P-200 pump runs at 48 V.", "It is greased by the night shift."],
            "passages": [PUMP],
            "judged": [
                {"label": "no_claim", "reason": "It claims nothing."},
                {"label": "faithful", "reason": "It runs at 48 V."},
                {"label": "partial", "reason": "Who greases it is not said."},
            ],
        },
        '[{"i": 0, "r": "It claims nothing.", "f": "NA"}, {"i": 1, "r": "It runs at 48 V.", "f": "faithful"}, '
        '{"i": 2, "r": "Who greases it is not said.", "f": "partial"}]',
    ),
    "citation": (
        {
            "question": ASKED,
            "answer": ["The P-200 pump runs at 48 V.", "The canteen closes at 14:00."],
            "passages": [PUMP, HALL],
            "citations": [
                {"sentence": 0, "passage": 0, "passage_sentences": [0]},
                {"sentence": 1, "passage": 1, "passage_sentences": [1]},
            ],
        },
        '[{"r": 0, "c": [0]}, {"r": 1, "c": [3]}]',
    ),
}
# For each intrinsic with its own messages: a case, and text from the expected reply.
PROMPTED: dict[str, tuple[dict[str, Any], str]] = {
    "certainty": (PUBLISHED["certainty"][0], "no"),
    "answer_generation": (
        {
            "question": ASKED,
            "passages": [HALL, PUMP],
            "sentences": [
                {"text": "The P-200 pump runs at 48 V.", "passages": [1]},
                {"text": "The passages do not say which plug it has."},
            ],
        },
        "The P-200 pump runs at 48 V [2]. The passages do not say which plug it has.",
    ),
    "summarisation": (
        {"text": PUMP["text"], "title": "Pump", "summary": "Feeding and greasing.", "questions": [ASKED]},
        '{"summary": "Feeding and greasing.", "questions": ["At which voltage does the P-200 pump run?"]}',
    ),
    "question_writing": (
        {"passage": PUMP, "questions": [{"question": ASKED, "answer": "48 V"}]},
        '{"questions": [{"question": "At which voltage does the P-200 pump run?", "answer": "48 V"}]}',
    ),
    "term_mining": (
        {
            "text": "The power supply unit (PSU) is in hall 4.",
            "terms": [
                {"term": "PSU", "expansion": "power supply unit", "evidence": "The power supply unit (PSU) is in hall"}
            ],
        },
        '{"terms": [{"term": "PSU", "expansion": "power supply unit", '
        '"evidence": "The power supply unit (PSU) is in hall"}]}',
    ),
}


async def made(name: str, fields: dict[str, Any], *, messages: bool = False, seed: int = 0) -> TrainingExample:
    settings = Settings()
    form = CASE_FORMS[name]
    case = form.case.model_validate({"id": "one", "group": "pump", "source": "a person", **fields})
    adapter = adapter_to_train(settings, name, messages=messages)
    return await make_example(form, case, partial(online_judgement, settings, name), adapter, seed=seed)


def test_every_intrinsic_with_adapter_support_has_a_training_format() -> None:
    from golden_retriever.profiles import ENGINES

    assert set(CASE_FORMS) == {name for name, engines in ENGINES.items() if "adapter" in engines}
    assert set(CASE_FORMS) == {*PUBLISHED, *PROMPTED}


async def test_dates_in_prompts_depend_on_the_seed() -> None:
    fields = PUBLISHED["answerability"][0]
    first, again, other = [await made("answerability", fields, seed=seed) for seed in (0, 0, 1)]
    assert first == again != other
    days = {day_of(str(number), 0) for number in range(400)}
    assert len(days) > 300
    assert min(days) >= datetime.date(2025, 1, 1)
    assert max(days) < datetime.date(2030, 1, 1)
    day = day_of("one", 0)
    assert f"Today's Date: {day:%B %d, %Y}." in first.prompt


async def test_case_whose_reply_is_parsed_differently_is_refused(subtests: pytest.Subtests) -> None:
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
            "'MCU' is not in the question",
        ),
    ]:
        with subtests.test(words=words), pytest.raises(InvalidInput, match=words):
            await made(name, fields)


class OneAnswer(ChatServer):
    """Replies ``answer`` to every request, with messages or a whole prompt."""

    def reply(self, body: dict[str, Any]) -> Response:
        return self.completed(body, self.answer)


@pytest.mark.parametrize(
    ("name", "messages"), [*((name, False) for name in PUBLISHED), *((name, True) for name in PROMPTED)]
)
async def test_training_prompt_equals_the_prompt_sent_to_a_server(name: str, messages: bool) -> None:
    fields, reply = (PROMPTED if messages else PUBLISHED)[name]
    example = await made(name, fields, messages=messages)
    assert example.completion == reply
    assert (example.id, example.group, example.source) == ("one", "pump", "a person")
    form = CASE_FORMS[name]
    case = form.case.model_validate({"id": "one", **fields})
    with chatting(OneAnswer(answer=example.completion)) as server:
        engine = "llm" if messages else "adapter"
        settings = Settings(llm=f"{server.address}#m", profile="embedded", engines=f"{name}={engine}", degrade="refuse")
        chat = build_chat(settings)
        try:
            await form.ask(case, services_with(settings, name, chat))
        finally:
            await chat.close()
        body = server.requests[-1]
    if messages:
        assert body["messages"] == [each.model_dump() for each in example.messages]
    else:
        drawn, today = (f"{day:%B %d, %Y}" for day in (day_of("one", 0), datetime.date.today()))
        assert body["prompt"] == example.prompt.replace(f"Today's Date: {drawn}.", f"Today's Date: {today}.")


def services_with(settings: Settings, name: str, chat: ChatModel) -> Online:
    """Build the online judgement as the server does."""
    engines, embedder = EngineChooser(settings, chat), HashingEmbedder()
    dictionary = InMemoryJargonDictionary(())
    services = build_services(settings, embedder, EmptySearcher(), EmptyLexicalIndex(), dictionary, chat)
    judges = {
        "question_rewriting": services.question_rewriter,
        "context_relevance": services.relevance_judge,
        "answerability": services.answerability_judge,
        "answer_generation": services.answer_writer,
        "citation": services.citation_finder,
        "faithfulness": services.faithfulness_judge,
        "certainty": services.certainty_estimator,
        "summarisation": build_judge("summarisation", engines, embedder),
        "question_writing": build_judge("question_writing", engines),
        "term_mining": build_judge("term_mining", engines),
    }
    return Online(judge=judges[name], augmenter=services.question_augmenter)
