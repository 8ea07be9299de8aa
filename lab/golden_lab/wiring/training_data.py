"""What makes training data of the library: its passages, who asks about them, who judges what was asked."""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import intrinsics.question_writing.llm as prompted
from contracts.errors import ConfigurationError
from contracts.text import Document
from golden_lab.training.writing.asking import Form, PassageAsker
from golden_lab.training.writing.choosing import choose_documents, draw_passages
from golden_lab.training.writing.cloze import ClozeQuestionWriter
from golden_lab.training.writing.cutting import SourcePassage, character_passages, chunk_passages
from golden_lab.training.writing.journal import Journal
from golden_lab.training.writing.making import Answers, Making, make_questions
from golden_retriever import __version__
from golden_retriever.settings import Settings
from golden_retriever.wiring.chat import build_chat
from golden_retriever.wiring.engines import EngineChooser
from golden_retriever.wiring.indexes import build_embedder, open_library
from golden_retriever.wiring.judgements import build_answerability_judge
from intrinsics.question_writing.base import QuestionWriter
from intrinsics.question_writing.embedded import EmbeddedQuestionWriter
from jargon_db.store import JargonStore
from library.store import LibraryStore
from tools.asked_before import AskedBefore
from tools.chat import ChatModel
from tools.embedding import Embedder
from tools.language import content_stems, fold

PassageKind = Literal["characters", "chunks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOrder:
    """What is to be made: of which documents, for which groups of readers, how many questions (0: of every passage).

    ``threshold`` is the probability from which on a passage counts as answering, ``at_once`` how many passages are
    asked about at the same time.
    """

    engine: str = ""
    documents: Sequence[str] = ()
    groups: Sequence[str] = ("everyone",)
    passages: PassageKind = "characters"
    count: int = 0
    seed: int = 0
    threshold: float = 0.5
    answers: Answers = "sentence"
    at_once: int = 4


async def make_training_questions(
    settings: Settings,
    order: QuestionOrder,
    making: Making,
    journal: Journal,
    on_passage: Callable[[Making], None],
) -> None:
    """Fill ``making`` with questions about the library's passages.

    Raises:
        ConfigurationError: the engine is not known, or it is "llm" and no chat server is configured.
        InvalidInput: no document fits.
        ChatUnavailable: the chat server does not answer; ``making`` and ``journal`` hold what was made before.
    """

    settings = settings.model_copy(update={"degrade": "refuse"})
    chat = chat_of(order.engine, build_chat(settings))
    async with AsyncExitStack() as parts:
        if chat is not None:
            parts.push_async_callback(chat.close)
        store = parts.enter_context(open_library(settings))
        embedder = build_embedder(settings)
        library = store.documents()
        documents = choose_documents(library, order.documents, order.groups)
        everybodys = choose_documents(library, order.documents, {each.group for each in library})
        making.withheld = len(everybodys) - len(documents)
        passages = draw_passages(documents, partial(_passages_of, store, order.passages), seed=order.seed)
        ambiguous = _terms_of_several_meanings(JargonStore(store.engine))
        asker = _build_asker(settings, chat, embedder, journal, order.threshold, ambiguous)
        await make_questions(
            passages,
            asker,
            AskedBefore(embedder),
            making,
            count=order.count,
            answers=order.answers,
            at_once=order.at_once,
            on_passage=on_passage,
        )


def chat_of(engine: str, configured: ChatModel | None) -> ChatModel | None:
    """Return the chat server that ``engine`` means: "" is "llm" where one is configured.

    Raises:
        ConfigurationError: the engine is not known, or "llm" has no server.
    """
    if engine not in ("", "embedded", "llm"):
        raise ConfigurationError(f'the engine "{engine}" is not known: choose "embedded" or "llm"')
    if engine == "llm" and configured is None:
        raise ConfigurationError("the engine llm needs a chat server: set GOLDEN_LLM_BASE_URL")
    return None if engine == "embedded" else configured


def _passages_of(store: LibraryStore, kind: PassageKind, document: Document, name: str) -> Sequence[SourcePassage]:

    cut = character_passages if kind == "characters" else chunk_passages
    return cut(document, name, store.document_chunks(document.id))


def _terms_of_several_meanings(jargon: JargonStore) -> frozenset[str]:
    """Return the folded terms that mean several things, by the dictionary or by what was mined for it."""

    meanings: dict[str, set[frozenset[str]]] = {}
    for sense in jargon.senses():
        if sense.state != "rejected":
            meanings.setdefault(fold(sense.term), set()).add(frozenset(content_stems(sense.extended_name)))
    return frozenset(term for term, several in meanings.items() if len(several) > 1)


def _build_asker(
    settings: Settings,
    chat: ChatModel | None,
    embedder: Embedder,
    journal: Journal,
    threshold: float,
    ambiguous: frozenset[str],
) -> PassageAsker:

    engines = EngineChooser(settings, chat)
    writers: list[tuple[Form, QuestionWriter]]
    if chat is None:
        writers = [("template", EmbeddedQuestionWriter()), ("cloze", ClozeQuestionWriter())]
        mark = f"embedded {__version__}"
    else:
        writers = [("free", prompted.PromptedQuestionWriter(chat))]
        prompt = Path(prompted.__file__).with_name("llm.toml").read_bytes()
        mark = f"llm {settings.llm_model} {hashlib.sha256(prompt).hexdigest()[:12]}"
    judged_by = (
        f"{engines.engine_of('answerability')} {settings.llm_model if chat else ''} {embedder.name} {__version__}"
    )
    return PassageAsker(
        writers,
        build_answerability_judge(engines, embedder, threshold=threshold),
        journal,
        threshold=threshold,
        writers_mark=mark,
        judge_mark=judged_by,
        ambiguous=ambiguous,
    )
