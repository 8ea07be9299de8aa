"""The whole bot on llama.cpp's server: every judgement goes there, and the model's nonsense is seen for what it is."""

import asyncio
import json
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from agent.wording import UNSUPPORTED_MARK
from contracts.answer import Answer, Step
from contracts.errors import Unavailable
from golden_retriever.profiles import engines_of
from golden_retriever.settings import load_settings
from golden_retriever.wiring.application import Application, open_application
from jargon_db.importing import import_files
from tests.live.llama_server import LlamaServer
from tests.live.recorder import Exchange, Recorder, recording

pytestmark = pytest.mark.live

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DOCUMENTS = ("interfaces-handbook.pdf", "house-rules.md", "escalation.txt")
# Two that the documents answer, the second of which needs the first; one that they do not; one with two readings.
CONVERSATIONS = (
    ("What is the VCCQ level for DDR3?", "And for DDR4?"),
    ("Which second command byte erases a block?",),
    ("Who painted the ceiling of the chapel?",),
    ("What happens to a PLR frame?",),
)
INTRINSICS = {
    "rewrite_question": "question_rewriting",
    "identify_jargon": "jargon_identification",
    "classify_context": "context_classification",
    "expand_query": "query_expansion",
    "retrieve": "passage_reranking",
    "judge_relevance": "context_relevance",
    "judge_answerability": "answerability",
    "write_answer": "answer_generation",
    "refine_answer": "answer_generation",
    "find_citations": "citation",
    "judge_faithfulness": "faithfulness",
    "estimate_certainty": "certainty",
}
# What a question asks the model for, where everything is to run on it.
ONLINE = {name for name in INTRINSICS.values() if engines_of("quality")[name] == "llm"}
# Sentences that claim nothing are not sent: an answer may have no others.
OF_CLAIMS = {"citation", "faithfulness"}
# Far above every limit set here: what takes so long hangs.
_HANGS_S = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, what came of it (an answer, or the refusal of degrade=refuse), and what the server was asked."""

    question: str
    outcome: Answer | Unavailable
    exchanges: tuple[Exchange, ...]


@asynccontextmanager
async def opened(
    recorder: Recorder, server: LlamaServer, folder: Path, *, degrade: str, engines: str = ""
) -> AsyncIterator[Application]:
    settings = load_settings(
        data_dir=folder / "data",
        llm=recorder.url,
        llm_timeout_s=_HANGS_S,
        candidates=4,
        top_k=2,
        profile="quality",
        engines=engines,
        degrade=degrade,
    )
    async with open_application(settings, one_shot=True) as application:
        yield application


async def ask_all(
    application: Application, recorder: Recorder, conversations: Sequence[tuple[str, ...]] = CONVERSATIONS
) -> list[Asked]:
    """Ask every question, one after the other; nothing but an answer or a refusal may come of it."""
    found = []
    for number, questions in enumerate(conversations):
        for question in questions:
            before = len(recorder.exchanges)
            outcome: Answer | Unavailable
            try:
                async with asyncio.timeout(_HANGS_S):
                    outcome = await application.chatbot.ask(question, conversation_id=f"conversation-{number}")
            except Unavailable as refused:
                outcome = refused
            found.append(Asked(question=question, outcome=outcome, exchanges=tuple(recorder.exchanges[before:])))
            show(found[-1])
    return found


def show(asked: Asked) -> None:
    """Print what a question took (pytest -s)."""
    calls = Counter(exchange.intrinsic for exchange in asked.exchanges)
    outcome = asked.outcome.outcome if isinstance(asked.outcome, Answer) else repr(asked.outcome)
    degraded = [reason.split(":")[0] for reason in getattr(asked.outcome, "degraded", ())]
    print(f"\n{asked.question} -> {outcome}; {dict(calls)}; degraded: {degraded}")


@pytest.fixture(scope="module")
def library(server: LlamaServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Read documents and dictionary once, without the server; each test works on a copy."""
    folder = tmp_path_factory.mktemp("library")

    async def ingest() -> None:
        settings = load_settings(data_dir=folder / "data", workers=1, summaries=False)
        async with open_application(settings, one_shot=True) as application:
            import_files(application.jargon.acting_as("test"), EXAMPLES / "dictionary.csv", EXAMPLES / "contexts.csv")
            await application.pipeline.ingest([EXAMPLES / "documents" / name for name in DOCUMENTS])

    asyncio.run(ingest())
    return folder


@pytest.fixture
def own_library(library: Path, tmp_path: Path) -> Path:
    shutil.copytree(library / "data", tmp_path / "data")
    return tmp_path


def of_llm(steps: tuple[Step, ...], engines: str = "") -> list[tuple[str, Step]]:
    """Return the steps whose intrinsic runs on the model, with its name."""
    chosen = engines_of("quality", engines)
    named = [(INTRINSICS[step.node], step) for step in steps if step.node in INTRINSICS]
    return [(name, step) for name, step in named if chosen[name] == "llm" and step.provenance is not None]


def check_protocol(exchanges: tuple[Exchange, ...]) -> None:
    """Hold every request and reply against the protocol."""
    for exchange in exchanges:
        assert exchange.intrinsic, exchange.body["messages"][-1]["content"][:200]
        assert exchange.status == 200, exchange.answer
        if exchange.body.get("stream"):
            assert exchange.answer.rstrip().endswith(b"data: [DONE]")
            continue
        assert exchange.schema is not None or exchange.body.get("logprobs"), exchange.intrinsic
        if exchange.schema is not None and exchange.finish_reason == "stop":
            assert set(exchange.schema.get("required", ())) <= json.loads(exchange.text).keys(), exchange.text


def check_visible(asked: Asked, engines: str = "") -> None:
    """Hold each judgement of the model against what was sent: it answered, or the step says that it did not."""
    assert isinstance(asked.outcome, Answer)
    assert asked.outcome.text.strip()
    reached = {exchange.intrinsic for exchange in asked.exchanges}
    for name, step in of_llm(asked.outcome.steps, engines):
        assert step.provenance is not None
        assert name in reached | OF_CLAIMS, f"{step.node} asked nobody"
        if step.provenance.implementation != "llm":
            assert "did not answer" in step.provenance.degraded
            assert any(reason.startswith(step.node) for reason in asked.outcome.degraded)


def check_support(answer: Answer) -> None:
    """Let no sentence stand as supported that rests on nothing."""
    for sentence in answer.sentences:
        assert sentence.label != "faithful" or sentence.citations, sentence
    if answer.outcome == "answered":
        assert any(sentence.label in ("faithful", "partial") or sentence.citations for sentence in answer.sentences)


async def test_every_judgement_reaches_the_server_and_no_question_is_lost(
    server: LlamaServer, own_library: Path
) -> None:
    with recording(server.address) as recorder:
        async with opened(recorder, server, own_library, degrade="embedded") as application:
            asked = await ask_all(application, recorder)
        for each in asked:
            check_protocol(each.exchanges)
            check_visible(each)
            assert isinstance(each.outcome, Answer)
            check_support(each.outcome)
    assert len(asked) == sum(map(len, CONVERSATIONS))
    reached = {exchange.intrinsic for exchange in recorder.exchanges}
    assert reached >= ONLINE - {"certainty"}


async def test_an_answer_from_the_documents_is_judged_by_the_server_to_its_end(
    server: LlamaServer, own_library: Path
) -> None:
    engines = "answer_generation=embedded,citation=embedded,context_relevance=embedded,passage_reranking=embedded"
    with recording(server.address) as recorder:
        async with opened(recorder, server, own_library, degrade="embedded", engines=engines) as application:
            (asked,) = await ask_all(application, recorder, CONVERSATIONS[1:2])
    check_protocol(asked.exchanges)
    check_visible(asked, engines)
    assert isinstance(asked.outcome, Answer)
    check_support(asked.outcome)
    reached = {exchange.intrinsic for exchange in asked.exchanges}
    assert {"answerability", "faithfulness"} <= reached
    assert ("certainty" in reached) == (asked.outcome.outcome == "answered")
    assert asked.outcome.outcome == "answered"


async def test_documents_are_read_in_with_what_the_server_makes_of_them(server: LlamaServer, tmp_path: Path) -> None:
    with recording(server.address) as recorder:
        async with opened(recorder, server, tmp_path, degrade="embedded") as application:
            async with asyncio.timeout(_HANGS_S):
                report = await application.pipeline.ingest([EXAMPLES / "documents" / "house-rules.md"])
            assert [file.status for file in report.files] == ["ingested"]
            assert len(application.store.documents()) == 1
    check_protocol(tuple(recorder.exchanges))
    assert {exchange.intrinsic for exchange in recorder.exchanges} == {"summarisation", "term_mining"}


async def test_where_nothing_may_stand_in_a_reply_that_cannot_be_read_refuses_the_question(
    server: LlamaServer, own_library: Path
) -> None:
    with recording(server.address) as recorder:
        async with opened(recorder, server, own_library, degrade="refuse") as application:
            asked = await ask_all(application, recorder)
    for each in asked:
        check_protocol(each.exchanges)
        assert each.exchanges
        if isinstance(each.outcome, Answer):
            assert not each.outcome.degraded
            assert {step.provenance and step.provenance.implementation for _, step in of_llm(each.outcome.steps)} == {
                "llm"
            }
            check_support(each.outcome)
        else:
            assert str(each.outcome).strip()


async def test_nonsense_from_the_writer_is_declined_or_marked(server: LlamaServer, own_library: Path) -> None:
    engines = ",".join(f"{name}=embedded" for name in engines_of("quality") if name != "answer_generation")
    with recording(server.address) as recorder:
        async with opened(recorder, server, own_library, degrade="embedded", engines=engines) as application:
            asked = await ask_all(application, recorder)
    written = [each for each in asked if each.exchanges]
    assert written
    for each in written:
        check_protocol(each.exchanges)
        check_visible(each, engines)
        assert isinstance(each.outcome, Answer)
        assert each.outcome.outcome in ("closest_passages", "answered")
        check_support(each.outcome)
        if each.outcome.outcome == "answered" and not each.outcome.degraded:
            assert all(sentence.label != "faithful" for sentence in each.outcome.sentences)
            assert UNSUPPORTED_MARK in each.outcome.text


async def test_questions_at_the_same_time_come_out_one_by_one(server: LlamaServer, own_library: Path) -> None:
    with recording(server.address) as recorder:
        async with opened(recorder, server, own_library, degrade="embedded") as application:
            questions = [questions[0] for questions in CONVERSATIONS]
            async with asyncio.timeout(_HANGS_S):
                answers = await asyncio.gather(*(application.chatbot.ask(question) for question in questions))
    assert [answer.question for answer in answers] == questions
    assert all(answer.text.strip() for answer in answers)
    assert server.wait_for_busy(0, _HANGS_S)
    for answer in answers:
        check_support(answer)
