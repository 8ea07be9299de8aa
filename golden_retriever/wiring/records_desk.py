"""What the routes of people's records work with."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from golden_retriever.wiring.application import Application
    from serving.records.base import RecordsDesk
    from serving.records.cases_running import CaseRunner


def build_records_desk(application: "Application") -> "RecordsDesk":
    """Return what the records' routes serve."""
    from golden_retriever.wiring.records import engine_name
    from golden_retriever.wiring.records_cases import QuizExaminer, build_quiet_bot
    from library.records.case_runs import CaseRunStore
    from library.records.cases import CaseStore
    from library.records.conversations import ConversationStore
    from library.records.feedback import FeedbackStore
    from library.records.overview import OverviewCounter
    from library.records.reviewing import ReviewStore
    from serving.records.base import RecordsDesk, ReviewBench

    engine, settings = application.store.engine, application.settings
    quiet = build_quiet_bot(application)
    examiner = QuizExaminer(quiet, settings, documents=application.store.version, dictionary=application.jargon.version)
    return RecordsDesk(
        conversations=ConversationStore(engine),
        feedback=FeedbackStore(engine),
        reviewer=ReviewStore(engine),
        cases=CaseStore(engine),
        counter=OverviewCounter(engine),
        bench=ReviewBench(chatbot=quiet, engine=engine_name(settings), runs=CaseRunStore(engine), examiner=examiner),
        keeps=settings.keep_questions,
        days=settings.keep_conversations_days,
    )


def build_case_runner(application: "Application", desk: "RecordsDesk") -> "CaseRunner":
    """Return what runs the desk's test cases; it is closed with the application."""
    from serving.records.cases_running import CaseRunner

    runner = CaseRunner(desk.bench.runs, desk.bench.examiner)
    application.endings.append(runner.close)
    return runner
