"""The engine adapter: chosen by the settings, published or the operator's own, degrading to embedded."""

from pathlib import Path

import pytest

from contracts.errors import ChatUnavailable, ConfigurationError
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from golden_retriever.profiles import ENGINES
from golden_retriever.settings import Settings
from golden_retriever.wiring import judgements
from golden_retriever.wiring.chat import adapter_of, find_adapter_of, serving_llm
from golden_retriever.wiring.engines import EngineChooser
from tests.conformance.reading_cases import make_passage
from tests.hashing_embedder import HashingEmbedder
from tests.scripted_chat import ScriptedChatModel
from tests.tools.cross_encoder.scripted import OverlapScorer
from tools.reading.ranking import QuoteRanker

URL = "http://127.0.0.1:9/v1"
PUBLISHED = ("question_rewriting", "context_relevance", "answerability", "citation", "faithfulness", "certainty")
CHAT = """
version = "house 1"
description = "Ours"
model = "house-gate"
base_model = "house/base"
[weights]
path = "/srv/gate"
rank = 8
[prompt]
convention = "chat"
"""
PROMPT = 'version = "house 1"\ndescription = "gate"\nuser = "{evidence}\\n{question}\\nGate?"\n'


def settings(engines: str, folder: Path | None = None, **more: str) -> Settings:
    return Settings.model_validate({"llm": URL, "engines": engines, "adapters_dir": folder, **more})


def asked(text: str = "Which voltage does the pump need?") -> AugmentedQuestion:
    return AugmentedQuestion(question=text, text=text, provenance=Provenance(implementation="embedded"))


async def gate(chosen: Settings, chat: ScriptedChatModel) -> tuple[str, str]:
    judge = judgements.build_answerability_judge(EngineChooser(chosen, chat), QuoteRanker(OverlapScorer()))
    provenance = (await judge.judge(asked(), (make_passage("The pump needs 12 V."),))).provenance
    return provenance.implementation, provenance.degraded


async def test_each_published_adapter_runs_where_it_is_chosen() -> None:
    chooser = EngineChooser(settings(",".join(f"{name}=adapter" for name in PUBLISHED)), ScriptedChatModel([]))
    embedder, ranker = HashingEmbedder(), QuoteRanker(OverlapScorer())
    built = (
        judgements.build_rewriter(chooser),
        judgements.build_relevance_judge(chooser, ranker),
        judgements.build_answerability_judge(chooser, ranker),
        judgements.build_citation_finder(chooser, embedder),
        judgements.build_faithfulness_judge(chooser, embedder),
        judgements.build_certainty_estimator(chooser),
    )
    assert all("degrading" in repr(each) for each in built)
    assert {name for name in ENGINES if find_adapter_of(settings(""), name)} == set(PUBLISHED)


async def test_it_degrades_to_the_embedded_judge_or_refuses() -> None:
    chosen = settings("answerability=adapter")
    assert await gate(chosen, ScriptedChatModel(["answerable"])) == ("adapter", "")
    implementation, why = await gate(chosen, ScriptedChatModel([ChatUnavailable("No such model.")]))
    assert (implementation, "No such model." in why) == ("embedded", True)
    with pytest.raises(ChatUnavailable):
        await gate(settings("answerability=adapter", degrade="refuse"), ScriptedChatModel([]))


async def test_an_adapter_of_ones_own_wins_with_a_prompt_of_ours_or_its_own(tmp_path: Path) -> None:
    (tmp_path / "answerability.toml").write_text(CHAT)
    chosen = settings("answerability=adapter", tmp_path)
    chat = ScriptedChatModel(["answerable"])
    assert await gate(chosen, chat) == ("llm", "")
    assert (chat.requests[0].model, chat.requests[0].prompt) == ("house-gate", "")
    (tmp_path / "gate-prompt.toml").write_text(PROMPT)
    (tmp_path / "answerability.toml").write_text(CHAT + 'file = "gate-prompt.toml"\n')
    chat = ScriptedChatModel(["answerable"])
    assert await gate(chosen, chat) == ("llm", "")
    assert chat.requests[0].messages[-1].content.endswith("Gate?")
    assert adapter_of(chosen, "answerability").model == "house-gate"


async def test_an_intrinsic_without_a_published_adapter_takes_ones_own(tmp_path: Path) -> None:
    chosen = settings("question_writing=adapter", tmp_path)
    with pytest.raises(ConfigurationError, match=r"question_writing.*question_writing\.toml"):
        adapter_of(chosen, "question_writing")
    own = CHAT.replace('convention = "chat"', 'convention = "granite-3.3"\nrole = "x"')
    (tmp_path / "term_mining.toml").write_text(own)
    with pytest.raises(ConfigurationError, match=r"term_mining\.toml has the convention granite-3\.3"):
        judgements.build_miner(EngineChooser(settings("term_mining=adapter", tmp_path), ScriptedChatModel([])))
    (tmp_path / "question_writing.toml").write_text(CHAT)
    writer = judgements.build_question_writer(EngineChooser(chosen, ScriptedChatModel(['{"questions": []}'])))
    assert (await writer.write(make_passage("The pump needs 12 V."))).provenance.model == "house-gate"


def test_a_file_that_cannot_be_used_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "answerabilty.toml").write_text(CHAT)
    with pytest.raises(ConfigurationError, match=r"answerabilty\.toml is for no intrinsic.*answerability"):
        adapter_of(settings("answerability=adapter", tmp_path), "answerability")
    (tmp_path / "answerabilty.toml").unlink()
    (tmp_path / "faithfulness.toml").write_text(CHAT)
    chooser = EngineChooser(settings("faithfulness=adapter", tmp_path), ScriptedChatModel([]))
    with pytest.raises(ConfigurationError, match=r"faithfulness does not run on: it takes the convention granite-3\.3"):
        judgements.build_faithfulness_judge(chooser, HashingEmbedder())
    (tmp_path / "answer_generation.toml").write_text(CHAT + 'file = "x.toml"\n')
    chooser = EngineChooser(settings("answer_generation=adapter", tmp_path), ScriptedChatModel([]))
    with pytest.raises(ConfigurationError, match=r"answer_generation\.toml names a prompt file"):
        judgements.build_writer(chooser, QuoteRanker(OverlapScorer()))
    (tmp_path / "answer_generation.toml").write_text(CHAT)
    assert judgements.build_writer(chooser, QuoteRanker(OverlapScorer()))


async def test_a_model_from_a_file_refuses_an_adapter_without_a_gguf_file(tmp_path: Path) -> None:
    (tmp_path / "answerability.toml").write_text(CHAT.replace("/srv/gate", "weights"))
    (tmp_path / "weights").mkdir()
    for engines, name in (("answerability=adapter", "house-gate"), ("certainty=adapter", "certainty")):
        with pytest.raises(ConfigurationError, match=rf"adapter {name} of .*\.toml has none: .* name {name}\.gguf"):
            async with serving_llm(settings(engines, tmp_path, llm=str(tmp_path / "some.gguf"))):
                pass
