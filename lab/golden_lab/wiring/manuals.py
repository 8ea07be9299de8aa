"""Asks questions about manuals, using libraries that contain the corpora."""

import random
from pathlib import Path

from contracts.errors import InvalidInput
from contracts.text import Passage
from golden_lab.manuals.questions import ManualQuestion, read_questions
from golden_lab.manuals.ranking_fit import RankedCase, rank_case
from golden_lab.training.data.questions import PassageQuestion, PassageSource
from golden_retriever.settings import Settings, load_settings
from golden_retriever.wiring import open_application, open_library
from golden_retriever.wiring.engines import build_cross_encoder
from tools.reading.ranking import QuoteRanker


async def rank_questions(corpus: str, folder: Path) -> list[RankedCase]:
    """Rank the quotes for the questions about ``corpus`` that may be used for fitting, using the library in ``folder``.

    Questions that the cross-encoder learns from are left out.
    """
    settings = load_settings(data_dir=folder)
    ranker = QuoteRanker(build_cross_encoder(settings.cross_encoder))
    questions = read_questions("training", [corpus]) or read_questions("development", [corpus])
    async with open_application(settings, one_shot=True) as application:
        asked = [each for each in questions if each.kind != "small-talk" and not each.is_learnt_from]
        return [await rank_case(each, application.services, ranker) for each in asked]


async def find_passages(folder: Path) -> list[tuple[ManualQuestion, tuple[Passage, ...]]]:
    """Search the library in ``folder`` for the training questions about its documents."""
    settings = load_settings(data_dir=folder)
    async with open_application(settings, one_shot=True) as application:
        services = application.services
        held = {each.name.rsplit("/", 1)[-1] for each in application.store.documents()}
        questions = [each for each in read_questions("training") if each.is_learnt_from and each.document in held]
        found = [await services.searcher.search([each.question], services.policy.top_k) for each in questions]
    return list(zip(questions, found, strict=True))


def passage_questions(
    settings: Settings, *, held_out: bool, count: int = 0, seed: int = 0
) -> tuple[PassageQuestion, ...]:
    """Return the "training" corpus's answerable questions whose passage is in the library; the quote is the answer.

    ``held_out`` selects documents not used for training. ``count`` (0: all) are drawn with ``seed``.

    Raises:
        InvalidInput: the library contains none of their passages.
    """
    asked = [each for each in read_questions("training", ["training"]) if each.answerable]
    length = max(len(each.passage) for each in asked)
    with open_library(settings) as library:
        chunks = [chunk for each in library.documents() for chunk in library.document_chunks(each.id)]
    # A passage is found by its beginning, because the corpus may be stored differently, with other document names.
    by_beginning = {chunk.text[:length]: chunk for chunk in chunks}
    rows = []
    for each in asked:
        chunk = by_beginning.get(each.passage)
        if chunk is not None and each.quote in chunk.text and each.is_learnt_from != held_out:
            place = PassageSource(document=each.document, page=chunk.page, last_page=chunk.last_page, chunk=chunk.id)
            row = PassageQuestion(
                id=each.id,
                passage=chunk.text,
                question=each.question,
                answer=each.quote,
                source=place,
                answerability=1.0,
            )
            rows.append(row)
    if not rows:
        raise InvalidInput("the library has none of the passages: ingest the training corpus first", field="library")
    return tuple(rows if not 0 < count < len(rows) else random.Random(seed).sample(rows, count))
