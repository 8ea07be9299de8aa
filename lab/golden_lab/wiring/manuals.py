"""Asking the questions on manuals over libraries that hold the corpora."""

from pathlib import Path

from contracts.text import Passage
from golden_lab.manuals.questions import ManualQuestion, read_questions
from golden_lab.manuals.ranking_fit import RankedCase, rank_case
from golden_retriever.settings import load_settings
from golden_retriever.wiring import open_application
from golden_retriever.wiring.engines import build_cross_encoder
from tools.reading.ranking import QuoteRanker


async def rank_questions(corpus: str, folder: Path) -> list[RankedCase]:
    """Rank the quotes for the questions on ``corpus`` that may be fitted on, over the library in ``folder``.

    Those that the cross-encoder learns from are left out.
    """
    settings = load_settings(data_dir=folder)
    ranker = QuoteRanker(build_cross_encoder(settings.cross_encoder))
    questions = read_questions("training" if corpus == "training" else "development", [corpus])
    async with open_application(settings, one_shot=True) as application:
        asked = [each for each in questions if each.kind != "small-talk" and not each.is_learnt_from]
        return [await rank_case(each, application.services, ranker) for each in asked]


async def find_passages(corpus: str, folder: Path) -> list[tuple[ManualQuestion, tuple[Passage, ...]]]:
    """Search the library in ``folder`` for the questions of ``corpus`` that are learnt from."""
    settings = load_settings(data_dir=folder)
    questions = [each for each in read_questions("training", [corpus]) if each.is_learnt_from]
    async with open_application(settings, one_shot=True) as application:
        services = application.services
        found = [await services.searcher.search([each.question], services.policy.top_k) for each in questions]
    return list(zip(questions, found, strict=True))
