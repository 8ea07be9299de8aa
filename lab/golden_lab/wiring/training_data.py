"""Makes questions about passages of the library, with a language model that writes and a judge that checks."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from contracts.errors import ConfigurationError, InvalidInput
from evaluation.drafts import choose_documents, draw_passages
from golden_lab.training.data.questions import write_questions
from golden_retriever.settings import Settings
from golden_retriever.wiring.chat import build_chat
from golden_retriever.wiring.engines import EngineChooser, build_cross_encoder
from golden_retriever.wiring.indexes import build_embedder, open_library
from golden_retriever.wiring.judgements import build_judge
from intrinsics.answerability.llm import PromptedAnswerabilityJudge
from intrinsics.question_writing.llm import PromptedQuestionWriter
from tools.reading.ranking import QuoteRanker


async def write_training_questions(
    settings: Settings,
    out: Path,
    *,
    documents: Sequence[str],
    groups: Sequence[str],
    count: int,
    seed: int,
    threshold: float,
    at_once: int,
    on_passage: Callable[[int], None],
) -> tuple[int, Mapping[str, int]]:
    """Add questions about passages of the library to ``out``, as ``write_questions`` does.

    Questions are only about ``documents`` (names; if empty, all) that readers of ``groups`` may see, because a model
    reveals its training data to all of its users.

    Raises:
        ConfigurationError: no chat server is configured.
        InvalidInput: no document matches, or ``out`` is not a file of questions.
        ChatUnavailable: the chat server does not answer.
    """
    settings = settings.model_copy(update={"degrade": "refuse"})
    chat = build_chat(settings)
    if chat is None:
        raise ConfigurationError("a language model writes the questions: set GOLDEN_LLM")
    try:
        with open_library(settings) as store:
            named = choose_documents(store, documents)
            chosen = [each for each in named if each.group in groups]
            if not chosen:
                raise InvalidInput(
                    f"these documents are for readers of {', '.join(sorted({each.group for each in named}))} "
                    "only: name the groups whose documents may be used for training with --group",
                    field="group",
                )
            twice = {name for name, times in Counter(each.name for each in store.documents()).items() if times > 1}
            embedder, ranker = build_embedder(settings), QuoteRanker(build_cross_encoder(settings.cross_encoder))
            engines = EngineChooser(settings, chat)
            # In the product, the language model makes this judgement in one call with others.
            prompted = engines.engine_of("answerability") == "llm"
            return await write_questions(
                draw_passages(store, chosen, seed=seed),
                out,
                PromptedQuestionWriter(chat),
                PromptedAnswerabilityJudge(chat) if prompted else build_judge("answerability", engines, ranker=ranker),
                embedder,
                names={each.id: each.path if each.name in twice else each.name for each in chosen},
                count=count,
                threshold=threshold,
                at_once=at_once,
                on_passage=on_passage,
            )
    finally:
        await chat.close()
