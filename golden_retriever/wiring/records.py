"""The services through which the server offers stored answers, documents and test cases."""

import asyncio
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from agent.chatbot import Chatbot
from contracts.case_runs import CaseResult, ReviewCase, RunMeasure
from contracts.errors import GoldenError
from contracts.records import Groups
from evaluation.quiz import QuizQuestion, ask_question, score
from evaluation.revision import revision
from golden_retriever import __version__
from golden_retriever.settings import Settings
from golden_retriever.settings.answering import AnsweringSettings, LanguageModelSettings
from golden_retriever.wiring.application import Application
from golden_retriever.wiring.conversations import engine_name
from serving.documents.service import DocumentsService
from serving.records.service import RecordsService
from tools.jargon.base import read_only

# Computed once: the code does not change while the process runs.
_revision = cache(revision)
_DIGEST_CHARACTERS = 12


def build_records_service(application: Application) -> RecordsService:
    """Return the service for records; it is closed with the application.

    Replayed questions are answered by the application's current bot, but nothing about them is stored or counted.
    """

    settings, store, services = application.settings, application.store, application.services
    chatbot = Chatbot(replace(services, dictionary=read_only(services.dictionary)))
    service = RecordsService(
        store,
        chatbot=chatbot,
        examiner=QuizExaminer(chatbot, settings, documents=store.version, dictionary=application.jargon.version),
        engine_name=engine_name(settings),
        keeps=settings.keep_questions,
        days=settings.keep_conversations_days,
    )
    application.endings.append(service.close)
    return service


@dataclass(frozen=True, slots=True)
class QuizExaminer:
    """Runs test cases as `golden eval quiz` does; ``documents`` and ``dictionary`` return versions, and block."""

    chatbot: Chatbot
    settings: Settings
    documents: Callable[[], object]
    dictionary: Callable[[], object]

    async def measure(self) -> RunMeasure:
        return await asyncio.to_thread(self._measure)

    async def examine(self, case: ReviewCase, groups: Groups) -> CaseResult:
        try:
            question = QuizQuestion.model_validate(case.case)
            answer, milliseconds = await ask_question(self.chatbot, question, groups=groups)
        except (GoldenError, ValueError) as error:
            return _unasked(case, error)
        return score(question, answer, milliseconds)

    def _measure(self) -> RunMeasure:
        return RunMeasure(
            engine=engine_name(self.settings),
            version=__version__,
            revision=_revision(),
            settings=digest_of_settings(self.settings),
            documents=str(self.documents()),
            dictionary=str(self.dictionary()),
        )


def digest_of_settings(settings: Settings) -> str:
    """Return a digest of the settings that determine how questions are answered, without secrets."""
    names = [*AnsweringSettings.model_fields, *LanguageModelSettings.model_fields, "embedding_model"]
    values = {name: str(getattr(settings, name)) for name in names if name != "llm_api_key"}
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:_DIGEST_CHARACTERS]


def _unasked(case: ReviewCase, error: Exception) -> CaseResult:
    reason = str(error) if isinstance(error, GoldenError) else f"The case is not a valid quiz question: {error}"
    return CaseResult(
        case_id=case.id,
        question=str(case.case.get("question", "")),
        expected=str(case.case.get("expect", "")),
        outcome="",
        differs=("error",),
        milliseconds=0.0,
        gold=str(case.case.get("answer", "")),
        error=reason,
    )


def build_documents_service(application: Application) -> DocumentsService:
    """Return the service for ``/api/documents``; uploads go to the data folder."""
    settings = application.settings
    return DocumentsService(
        application.store,
        application.jobs,
        remove=application.remove_document,
        uploads=settings.data_dir.resolve() / "documents",
        max_upload_bytes=settings.max_upload_mb * 1024 * 1024,
        upload_quota_bytes=settings.upload_quota_mb * 1024 * 1024,
    )
