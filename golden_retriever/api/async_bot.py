"""The bot for asynchronous programs."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from functools import partial
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from agent.chatbot import final_answer
from agent.previews import search_passages
from contracts.answer import Answer, AnswerEvent
from contracts.errors import InvalidInput
from contracts.question import Asker, SensePick, Turn
from contracts.text import Passage
from golden_retriever.api.jargon import AsyncJargon, Jargon
from golden_retriever.questions import local_asker, pick_of
from golden_retriever.settings import load_settings
from golden_retriever.wiring import Application, open_application
from serving.questions import conversation_id_of

if TYPE_CHECKING:
    from ingestion.reports import Hear, IngestionReport

# Meanings that an asker chose: names by term, or ``SensePick`` values.
Picks = Mapping[str, str] | Sequence[SensePick]


class AsyncGoldenRetriever:
    """A bot on the data folder ``folder``, open inside ``async with``; the folder is created if it is missing.

    ``settings`` are keyword arguments with the names of the program's settings (``top_k=6``); they override the
    environment (``GOLDEN_TOP_K``) and ``golden.toml``. One instance can answer many questions at once, on one event
    loop.

    Raises:
        ConfigurationError: a setting is wrong; the message names it.
    """

    def __init__(self, folder: str | PathLike[str], **settings: Any) -> None:
        if "data_dir" in settings:
            raise InvalidInput("The data folder is the first argument: leave out data_dir.", field="data_dir")
        self._settings = load_settings(data_dir=Path(folder), **settings)
        self._opened: Application | None = None
        self._parts = AsyncExitStack()
        self._ingesting = asyncio.Lock()
        self._jargon = AsyncJargon(Jargon(lambda: self._application.jargon.acting_as(self._settings.effective_user)))

    async def __aenter__(self) -> Self:
        """Open the bot.

        Raises:
            ConfigurationError: a setting does not fit this machine.
            Unavailable: the database does not answer.
        """
        async with AsyncExitStack() as parts:
            self._opened = await parts.enter_async_context(open_application(self._settings, one_shot=True))
            self._parts = parts.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the bot; a second call does nothing."""
        self._opened = None
        await self._parts.aclose()

    @property
    def jargon(self) -> AsyncJargon:
        """The dictionary."""
        return self._jargon

    async def ingest(
        self, *paths: str | PathLike[str], group: str = "everyone", prune: bool = False, on_event: "Hear | None" = None
    ) -> "IngestionReport":
        """Read files, folders and archives into the library, for the readers of ``group``; unchanged ones are skipped.

        A file that cannot be read is reported with the reason (``report.failed``); the others are read. ``prune``
        removes the documents of these folders whose files are gone. ``on_event`` receives each ``Progress`` and
        ``FileReport`` in the event loop's thread; without it, progress is shown if standard error is a terminal.

        Raises:
            InvalidInput: no path is given, or one of them does not exist.
            Unavailable: the database is not available; documents already stored are kept.
        """
        files = await asyncio.to_thread(_existing, paths)
        async with self._ingesting:
            ingest = partial(self._application.pipeline.ingest, files, group=group, prune=prune)
            if on_event is None and sys.stderr.isatty():
                from golden_retriever.cli.progress import watching

                with watching() as watch:
                    report = await ingest(on_event=watch.hear)
                watch.show_end()
            else:
                report = await ingest(on_event=on_event)
            await self._application.vector_index.synchronise()
        return report

    async def ask(
        self,
        question: str,
        *,
        department: str = "",
        documents: Sequence[str] = (),
        conversation_id: str = "",
        history: Sequence[Turn] | None = None,
        picks: Picks = (),
    ) -> Answer:
        """Answer ``question``; parameters and errors are those of ``stream``."""
        return await final_answer(
            self.stream(
                question,
                department=department,
                documents=documents,
                conversation_id=conversation_id,
                history=history,
                picks=picks,
            )
        )

    async def stream(
        self,
        question: str,
        *,
        department: str = "",
        documents: Sequence[str] = (),
        conversation_id: str = "",
        history: Sequence[Turn] | None = None,
        picks: Picks = (),
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Answer ``question``; yield its events as they happen, ``AnswerReady`` with the answer last.

        Closing the iterator stops the work. ``department`` is the name of one of the dictionary's contexts;
        ``documents`` are the ids of the documents to search (all if empty). Questions with the same ``conversation_id``
        are understood as follow-ups, even in later runs; if ``history`` is given, nothing is remembered.
        ``picks`` sets the meanings of terms: ``{"DLL": "Delay-Locked Loop"}``.

        Raises:
            InvalidInput: the question is empty or too long, the dictionary has no such department, or a pick is empty.
            NotFound: the library has no document with one of these ids.
            Unavailable: something that is needed is currently unavailable.
        """
        if isinstance(picks, Mapping):
            picks = [pick_of(term, name) for term, name in picks.items()]
        events = self._application.chatbot.stream(
            question,
            conversation_id=conversation_id_of(conversation_id),
            history=history,
            asker=await self._asker(department, documents),
            picks=picks,
        )
        async with aclosing(events):
            async for event in events:
                yield event

    async def search(self, query: str, *, top_k: int | None = None) -> list[Passage]:
        """Return the ``top_k`` passages (default: the setting ``top_k``) that ``ask`` would read first for ``query``.

        The query's jargon is spelt out as in a question.

        Raises:
            InvalidInput: the query is empty, or ``top_k`` is less than 1.
            Unavailable: the library cannot be read right now.
        """
        wanted = self._settings.top_k if top_k is None else top_k
        if wanted < 1:
            raise InvalidInput(f"top_k must be at least 1, not {wanted}.", field="top_k")
        asker = await self._asker("")
        found = await search_passages(query, asker, self._application.services, top_k=wanted)
        return list(found.passages)

    @property
    def _application(self) -> Application:
        if self._opened is None:
            raise RuntimeError("This GoldenRetriever is not open: it was closed, or `async with` has not been entered.")
        return self._opened

    async def _asker(self, department: str, documents: Sequence[str] = ()) -> Asker:
        return await asyncio.to_thread(
            local_asker, self._application, "python", department=department, documents=documents
        )


def _existing(paths: Sequence[str | PathLike[str]]) -> list[Path]:
    if not paths:
        raise InvalidInput("No file or folder was given.", field="paths")
    found = [Path(path).expanduser() for path in paths]
    for path in found:
        if not path.exists():
            raise InvalidInput(f"There is no file or folder {path}.", field="paths")
    return found
