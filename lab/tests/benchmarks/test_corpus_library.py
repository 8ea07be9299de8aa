"""A library over a collection: what was put in is found, and what is kept gives the same."""

from collections.abc import Sequence
from pathlib import Path

from golden_lab.benchmarks.corpus_library import CorpusLibrary, open_corpus
from golden_lab.datasets.corpora import Collection, CollectionPassage
from golden_lab.engine import Engine
from golden_lab.run import Run
from golden_lab.wiring.engines import build_engine
from golden_retriever.settings import Settings
from tools.embedding.base import Matrix
from tools.embedding.hashing import HashingEmbedder

TEXTS = {
    "smoke-1": "Wildfire smoke drifts for miles.",
    "smoke-2": "Keep windows shut in smoke.",
    "tax-1": "A tax refund takes six weeks.",
}


class CountingEmbedder(HashingEmbedder):
    """Counts the passages that it embeds."""

    embedded = 0

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Embed texts to be found."""
        self.embedded += sum(text in TEXTS.values() for text in texts)
        return await super().embed_documents(texts)


def collection(name: str = "topics") -> Collection:
    passages = tuple(
        CollectionPassage(id=id, unit=id.split("-")[0], document=id.split("-")[0], title="", text=text)
        for id, text in TEXTS.items()
    )
    return Collection(name=name, passages=passages, questions=(), note="")


async def found(library: CorpusLibrary, engine: Engine, question: str) -> tuple[list[str], list[str], list[str]]:
    (vector,) = await engine.embedder.embed_queries([question])
    by_words = [library.unit_of[hit.chunk_id] for hit in await library.lexical.search(question, 3)]
    by_meaning = [library.unit_of[hit.chunk_id] for hit in await library.dense.search(vector, 3)]
    by_both = [library.unit_of[each.chunk.id] for each in await library.searcher.search([question], 3)]
    return by_words, by_meaning, by_both


async def test_a_library_is_searched_by_words_by_meaning_and_by_both(engine: Engine, tmp_path: Path) -> None:
    async with open_corpus(collection(), engine, Run(data=tmp_path, work=tmp_path / "work")) as library:
        by_words, by_meaning, by_both = await found(library, engine, "tax refund")
        assert by_words == ["tax"]
        assert by_meaning[0] == by_both[0] == "tax"
        assert sorted(by_meaning) == ["smoke", "smoke", "tax"]
        assert len(library.store.documents()) == 2


async def test_a_second_run_embeds_nothing_again_whatever_collection_the_texts_are_in(tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    engine = build_engine(Settings.model_validate({}), embedder=embedder)
    run = Run(data=tmp_path, work=tmp_path / "work")
    answers = []
    for each in (collection(), collection(), collection("the same in another collection")):
        async with open_corpus(each, engine, run) as library:
            answers.append(await found(library, engine, "windows shut"))
        assert embedder.embedded == len(TEXTS)
    assert answers[0] == answers[1] == answers[2]
