"""What the server offers: models by group, further questions, how well cited pages were read."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

from contracts.answer import Answer, AnswerReady, Citation
from contracts.documents import DocumentReport, IngestionDetails, PoorPage
from contracts.errors import NotFound
from contracts.question import Asker
from contracts.text import Chunk, PageBox, Span, TextBox
from golden_retriever.settings import Settings
from golden_retriever.web import build_chat_service, build_question_check
from golden_retriever.wiring import Application, open_application
from serving.chat import Question, UnknownModel, with_page_readings
from serving.follow_ups import NearbyQuestions
from serving.replies import address_of
from tests.library.samples import document_of
from tests.serving.running import citation

GROUPS = {
    "everyone": "The retention of audit records is 400 days. The Record Copy Desk (RCD) keeps them.",
    "NAND docs/München": "The retention of wafer records is 90 days. The Wafer Log Room (WLR) keeps them.",
    "quality": "The retention of inspection records is 30 days. The Inspection Office (IOF) keeps them.",
}
MUNICH = "golden/NAND%20docs%2FMünchen"


@pytest.fixture(scope="module")
async def application(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Application]:
    folder = tmp_path_factory.mktemp("offering")
    settings = Settings(data_dir=folder / "data", workers=1, llm="http://127.0.0.1:9/v1", profile="embedded")
    async with open_application(settings, one_shot=True) as opened:
        for number, (group, text) in enumerate(GROUPS.items()):
            place = folder / str(number)
            place.mkdir()
            (place / f"notes{number}.md").write_text(f"# Notes\n\n{text}\n", encoding="utf-8")
            await opened.pipeline.ingest([place], group=group)
        yield opened


pytestmark = pytest.mark.asyncio(loop_scope="module")


def ids(models: tuple[object, ...]) -> list[str]:
    return [model.id for model in models]  # type: ignore[attr-defined]


async def test_each_readable_group_has_a_model(application: Application, subtests: pytest.Subtests) -> None:
    chat = build_chat_service(application)
    assert ids(await chat.models(None)) == ["golden", MUNICH, "golden/everyone", "golden/quality"]
    assert ids(await chat.models(frozenset({"everyone", "nobody"}))) == ["golden", "golden/everyone"]
    assert ids(await chat.models(frozenset())) == ["golden"]
    # Every id leads to its own model, and no other id does.
    for model in await chat.models(None):
        assert await chat.model(model.id, Asker()) == model
        # As sent by a client that decodes the id as part of an address.
        assert (await chat.model(unquote(model.id), Asker())).group == model.group
    forbidden = Asker(groups=frozenset({"everyone"}))
    for other, asker in [
        *((name, Asker()) for name in ("gpt-4o", "golden/", "golden/nobody", "everyone", "Golden", "golden/..")),
        *((name, forbidden) for name in (MUNICH, "golden/quality")),
    ]:
        with subtests.test(other=other), pytest.raises(UnknownModel):
            await chat.model(other, asker)


async def test_suggested_questions_are_limited_to_readable_documents(application: Application) -> None:
    await build_question_check(application).update()
    munich = frozenset({"NAND docs/München"})
    examples = application.services.example_questions
    assert set(await examples(None)) == {f"What does {term} stand for?" for term in ("RCD", "WLR", "IOF")}
    assert await examples(munich) == ("What does WLR stand for?",)
    near = NearbyQuestions(application.store, application.services.lexical, application.embedder)
    answer_text = "The retention of wafer records is 90 days. The Wafer Log Room keeps them."
    assert (await near.suggest(answer_text, 1, asker=Asker())) == ("What does WLR stand for?",)
    assert (await near.suggest(answer_text, 9, asker=Asker(groups=frozenset({"everyone"})))) == (
        "What does RCD stand for?",
    )
    assert await near.suggest("", 5, asker=Asker()) == ()


async def test_question_is_answered_from_the_chosen_documents_only(application: Application) -> None:
    chat, ids = build_chat_service(application), {each.group: each.id for each in application.store.documents()}

    async def ask(asker: Asker) -> Answer:
        question = Question(
            text="How long are records kept?", asker=asker, model=await chat.model("", asker), follow_ups=True
        )
        (answer,) = [event.answer async for event in await chat.stream(question) if isinstance(event, AnswerReady)]
        return answer

    chosen = Asker(documents=frozenset({ids["quality"]}))
    answer = await ask(chosen)
    assert {each.document_id for each in answer.quoted} == {ids["quality"]}
    assert "30 days" in answer.quoted[0].quote
    assert await chat.count_passages(chosen) < await chat.count_passages(Asker())
    assert not {"What does RCD stand for?", "What does WLR stand for?"} & set(answer.follow_ups)
    forbidden = Asker(groups=frozenset({"everyone"}), documents=chosen.documents)
    for asker in (forbidden, Asker(documents=frozenset({"nothing"}))):
        with pytest.raises(NotFound, match="There is no document"):
            await ask(asker)


async def test_cited_pages_report_their_reading_quality(application: Application) -> None:
    box = PageBox(page=2, x0=0, top=0, x1=100, bottom=10)
    text = "Clear words. Faint words."
    boxes = (
        TextBox(span=Span(0, 12), box=box, confidences=(0.9, 0.7)),
        TextBox(span=Span(13, 25), box=box, confidences=(0.3, 0.1)),
    )
    chunk = Chunk(id="s-1", document_id="s", kind="passage", ordinal=0, text=text, page=2, last_page=2, boxes=boxes)
    document = replace(document_of("scan.pdf", group="scans"), id="s", pages=2)
    poor = PoorPage(page=2, reason="its words were read with a mean confidence of 0.50", confidence=0.5)
    (row,) = np.eye(1, 384, dtype=np.float32)
    application.store.replace_document(
        document,
        [chunk],
        row[None, :],
        embedder=application.embedder.name,
        details=IngestionDetails(report=DocumentReport(poor_pages=(poor,))),
    )

    def cited(number: int, span: Span, page: int, chunk_id: str = "s-1") -> Citation:
        return citation(number, document_id="s", page=page, chunk_id=chunk_id, passage_text=text, quote_spans=(span,))

    citations = (cited(1, Span(0, 12), 2), cited(2, Span(13, 25), 1), cited(3, Span(0, 12), 1, "dictionary-7"))
    answer = Answer(outcome="answered", text="?", question="?", citations=citations)
    read = with_page_readings(answer, application.store)
    assert [each.reading_confidence for each in read.citations] == [pytest.approx(0.8), pytest.approx(0.2), None]
    assert [(each.page, each.citations, each.reason) for each in read.poor_pages] == [(2, (1,), poor.reason)]


async def test_the_settings_decide_on_footer_and_links(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, answer_footer=False, citation_url="https://docs.example/{name}#page={page}")
    async with open_application(settings, one_shot=True) as opened:
        offer = build_chat_service(opened)
    assert offer.footer is False
    cited = citation(1, document_name="a b.pdf", page=7)
    assert address_of(cited, offer.citation_url) == "https://docs.example/a%20b.pdf#page=7"
    for address in ("ftp://docs/{name}", "https://docs/{title}", "javascript:alert(1)"):
        with pytest.raises(ValueError, match="citation_url"):
            Settings(citation_url=address)
