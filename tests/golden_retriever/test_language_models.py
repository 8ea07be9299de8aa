"""Servers of language models: their addresses, those of this machine, what each can do, and adapters on them."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from contracts.errors import ChatUnavailable, ConfigurationError
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from golden_retriever.language_models.discovery import find_servers
from golden_retriever.language_models.local_server import serving_file
from golden_retriever.profiles import ENGINES
from golden_retriever.settings import Settings, load_settings
from golden_retriever.wiring import judgements
from golden_retriever.wiring.chat import adapter_of, build_server, find_adapter_of, serving_llm
from golden_retriever.wiring.engines import EngineChooser
from golden_retriever.wiring.llm_check import LlmReport, check_llm
from tests.conformance.reading_cases import make_passage
from tests.golden_retriever.chat_server import BASE, VllmServer, chatting
from tests.hashing_embedder import HashingEmbedder
from tests.scripted_chat import ScriptedChatModel
from tests.tools.chat.server import free_port, serving
from tests.tools.cross_encoder.scripted import OverlapScorer
from tools.reading.ranking import QuoteRanker


def test_an_address_names_the_server_and_its_model(subtests: pytest.Subtests) -> None:
    for written, base_url, model in [
        ("ollama:qwen3:4b", "http://127.0.0.1:11434/v1", "qwen3:4b"),
        ("lmstudio:google/gemma-3-4b", "http://127.0.0.1:1234/v1", "google/gemma-3-4b"),
        ("vllm:http://gpu-box:8000/v1#ibm-granite/granite", "http://gpu-box:8000/v1", "ibm-granite/granite"),
        ("vllm:http://gpu-box:8000", "http://gpu-box:8000/v1", ""),
        ("openai:gpt-5-mini", "https://api.openai.com/v1", "gpt-5-mini"),
        ("https://llm.house/openai/v1/#big", "https://llm.house/openai/v1", "big"),
        ("models/Qwen3-4B.Q4_K_M.gguf", "", "Qwen3-4B.Q4_K_M"),
    ]:
        with subtests.test(written=written, base_url=base_url, model=model):
            settings = load_settings(llm=written)
            assert (settings.llm_address.base_url, settings.llm_model) == (base_url, model)
            assert load_settings(llm=settings.llm).llm_address == settings.llm_address


def test_openai_key_is_sent_to_openai_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-theirs")
    assert load_settings(llm="openai:gpt-5-mini").llm_key == "sk-theirs"
    assert load_settings(llm="openai:gpt-5-mini", llm_api_key="sk-ours").llm_key == "sk-ours"
    assert load_settings(llm="http://gpu-box:8000/v1").llm_key == ""
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ConfigurationError, match="set GOLDEN_LLM_API_KEY or OPENAI_API_KEY"):
        build_server(load_settings(llm="openai:gpt-5-mini"))


async def refusal_of(path: Path) -> str:
    with pytest.raises(ConfigurationError) as caught:
        async with serving_file(path):
            pass
    return str(caught.value)


async def test_file_that_cannot_be_served_is_named_with_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "some.gguf"
    assert await refusal_of(path) == f"There is no file {path}: GOLDEN_LLM or --model takes the path of a GGUF file."
    path.write_bytes(b"<html>not found</html>")
    assert "is not a GGUF file" in await refusal_of(path)
    path.write_bytes(b"GGUF and no more")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    assert "pip install 'golden-retriever-bot[local]'" in await refusal_of(path)


@contextmanager
def listing(asked: list[str], *models: tuple[str, str], status: int = 200) -> Iterator[int]:
    """Serve a list of models with their owners, and yield the port."""
    app = FastAPI()

    @app.api_route("/{path:path}", methods=["GET", "POST"])
    async def answer(path: str, request: Request) -> Response:
        asked.append(f"{request.method} /{path}")
        cards = [{"id": name, "object": "model", "owned_by": owner} for name, owner in models]
        return JSONResponse({"object": "list", "data": cards}, status_code=status)

    with serving(app) as address:
        yield int(address.rpartition(":")[2])


async def test_each_found_server_is_named_with_its_first_chat_model() -> None:
    asked: list[str] = []
    with ExitStack() as servers:

        def started(*models: tuple[str, str], status: int = 200) -> int:
            return servers.enter_context(listing(asked, *models, status=status))

        ollama = started(("nomic-embed-text:latest", "library"), ("qwen3:4b", "library"))
        llama = started(("my model.gguf", "llamacpp"))
        ours = started(("golden", "golden-retriever"), ("golden/quality", "golden-retriever"))
        locked = started(("secret", "x"), status=401)
        empty = started()
        ports = {ollama: "ollama", llama: "", ours: "", locked: "", empty: "lmstudio", free_port(): "vllm"}
        found = await find_servers(ports)
    assert found == ["ollama:qwen3:4b", f"'http://127.0.0.1:{llama}/v1#my model.gguf'"]
    assert asked == ["GET /v1/models"] * 5


async def report(server: VllmServer, **given: object) -> LlmReport:
    return await check_llm(Settings.model_validate({"llm": server.address, **given}))


def engines(found: LlmReport) -> dict[str, tuple[str, str, str]]:
    return {each.intrinsic: (each.runs_on, each.model, each.note) for each in found.engines}


async def test_check_passes_for_a_fully_capable_server() -> None:
    with chatting(VllmServer(adapters=("answerability_prediction",))) as server:
        found = await report(server, profile="quality", engines="answerability=adapter")
    assert found.as_asked
    one = found.server
    assert (one.models[0], one.max_tokens) == (BASE, 8192)
    assert all(each.passed for each in (one.chat, one.streaming, one.structured, one.logprobs))
    runs = engines(found)
    assert runs["answerability"] == ("adapter", "answerability_prediction", "")
    assert runs["answer_generation"] == ("llm", BASE, "")
    assert runs["question_augmentation"] == ("embedded", "", "")
    assert "answerability_prediction" in [body["model"] for body in server.requests if "prompt" in body]


async def test_missing_server_features_decide_which_judgements_run_on_it() -> None:
    with chatting(VllmServer(schemas="refused", logprobs=False)) as server:
        found = await report(server, profile="quality")
    assert (found.as_asked, found.suits) == (True, "quality")
    assert "refuses log-probabilities" in found.server.logprobs.said

    with chatting(VllmServer(schemas="ignored")) as server:
        found = await report(server, profile="quality")
    assert str(found.server.structured).startswith("no, 0 of 3: The reply does not have the form")
    assert [engines(found)[name][0] for name in ("answer_generation", "answerability")] == ["llm", "embedded"]
    assert (found.suits, found.as_asked) == ("balanced", False)

    with chatting(VllmServer(adapters=("certainty",), streaming=False, completions=False)) as server:
        found = await report(server, engines="certainty=adapter")
        refusing = await report(server, engines="certainty=adapter", degrade="refuse")
    assert engines(refusing)["certainty"][0].startswith("nothing")
    names = ("answer_generation", "certainty", "summarisation")
    assert [engines(found)[name][0] for name in names] == ["embedded", "embedded", "llm"]
    assert found.suits == "embedded"


async def test_check_names_a_wrong_key_a_wrong_model_and_an_absent_server() -> None:
    with chatting(VllmServer(key="right")) as server:
        assert "GOLDEN_LLM_API_KEY" in (await report(server, llm_api_key="wrong")).server.problem
        assert (await report(server, llm_api_key="right")).as_asked
        unknown = await report(server, llm_api_key="right", llm=f"{server.address}#gpt")
    assert "does not know the model 'gpt'" in unknown.server.chat.said
    assert not unknown.as_asked
    away = await check_llm(Settings(llm=f"http://127.0.0.1:{free_port()}/v1"))
    assert "cannot be reached" in away.server.problem
    assert not away.as_asked
    with pytest.raises(ConfigurationError, match="GOLDEN_LLM"):
        await check_llm(Settings())


async def test_one_verdict_names_the_profile_and_what_does_not_run() -> None:
    with chatting(VllmServer(adapters=("certainty",))) as server:
        found = await report(server, engines="certainty=adapter")
        assert any("adapter certainty: yes" in line for line in found.lines)
        assert any("tokens/s" in line for line in found.lines)
        assert found.verdict.startswith("The profile quality suits this server")
        assert found.verdict.endswith("Set GOLDEN_PROFILE=quality (it is balanced).")
        server.adapters, server.token_s = (), 0.4
        found = await report(server, engines="certainty=adapter")
        assert any("embedded !" in line for line in found.lines)
        assert found.verdict.startswith("The profile embedded suits this server: a question would take about")
        assert found.verdict.endswith("marked (!): 1.")


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


async def gate(chosen: Settings, chat: ScriptedChatModel) -> tuple[str, str]:
    judge = judgements.build_judge("answerability", EngineChooser(chosen, chat), ranker=QuoteRanker(OverlapScorer()))
    text = "Which voltage does the pump need?"
    question = AugmentedQuestion(question=text, text=text, provenance=Provenance(implementation="embedded"))
    provenance = (await judge.judge(question, (make_passage("The pump needs 12 V."),))).provenance
    return provenance.implementation, provenance.degraded


async def test_each_published_adapter_runs_if_it_is_chosen() -> None:
    chooser = EngineChooser(settings(",".join(f"{name}=adapter" for name in PUBLISHED)), ScriptedChatModel([]))
    embedder, ranker = HashingEmbedder(), QuoteRanker(OverlapScorer())
    built = [judgements.build_judge(name, chooser, embedder, ranker) for name in PUBLISHED]
    assert all("degrading" in repr(each) for each in built)
    assert {name for name in ENGINES if find_adapter_of(settings(""), name)} == set(PUBLISHED)


async def test_failing_adapter_falls_back_to_the_embedded_judge_or_refuses() -> None:
    chosen = settings("answerability=adapter")
    assert await gate(chosen, ScriptedChatModel(["answerable"])) == ("adapter", "")
    implementation, why = await gate(chosen, ScriptedChatModel([ChatUnavailable("No such model.")]))
    assert (implementation, "No such model." in why) == ("embedded", True)
    with pytest.raises(ChatUnavailable):
        await gate(settings("answerability=adapter", degrade="refuse"), ScriptedChatModel([]))


async def test_own_adapter_takes_precedence_with_default_or_own_prompt(tmp_path: Path) -> None:
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


async def test_intrinsic_without_a_published_adapter_accepts_an_own_one(tmp_path: Path) -> None:
    chosen = settings("question_writing=adapter", tmp_path)
    with pytest.raises(ConfigurationError, match=r"question_writing.*question_writing\.toml"):
        adapter_of(chosen, "question_writing")
    own = CHAT.replace('convention = "chat"', 'convention = "granite-3.3"\nrole = "x"')
    (tmp_path / "term_mining.toml").write_text(own)
    chooser = EngineChooser(settings("term_mining=adapter", tmp_path), ScriptedChatModel([]))
    with pytest.raises(ConfigurationError, match=r"term_mining\.toml has the convention granite-3\.3"):
        judgements.build_judge("term_mining", chooser)
    (tmp_path / "question_writing.toml").write_text(CHAT)
    writer = judgements.build_judge("question_writing", EngineChooser(chosen, ScriptedChatModel(['{"questions": []}'])))
    assert (await writer.write(make_passage("The pump needs 12 V."))).provenance.model == "house-gate"


def test_a_file_that_cannot_be_used_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "answerabilty.toml").write_text(CHAT)
    with pytest.raises(ConfigurationError, match=r"answerabilty\.toml does not belong to an intrinsic.*answerability"):
        adapter_of(settings("answerability=adapter", tmp_path), "answerability")
    (tmp_path / "answerabilty.toml").unlink()
    (tmp_path / "faithfulness.toml").write_text(CHAT)
    chooser = EngineChooser(settings("faithfulness=adapter", tmp_path), ScriptedChatModel([]))
    with pytest.raises(
        ConfigurationError, match=r"faithfulness does not support: it needs the convention granite-3\.3"
    ):
        judgements.build_judge("faithfulness", chooser, HashingEmbedder())
    (tmp_path / "answer_generation.toml").write_text(CHAT + 'file = "x.toml"\n')
    chooser = EngineChooser(settings("answer_generation=adapter", tmp_path), ScriptedChatModel([]))
    with pytest.raises(ConfigurationError, match=r"answer_generation\.toml names a prompt file"):
        judgements.build_judge("answer_generation", chooser, ranker=QuoteRanker(OverlapScorer()))
    (tmp_path / "answer_generation.toml").write_text(CHAT)
    assert judgements.build_judge("answer_generation", chooser, ranker=QuoteRanker(OverlapScorer()))


async def test_a_model_from_a_file_refuses_an_adapter_without_a_gguf_file(tmp_path: Path) -> None:
    (tmp_path / "answerability.toml").write_text(CHAT.replace("/srv/gate", "weights"))
    (tmp_path / "weights").mkdir()
    for engines, name in (("answerability=adapter", "house-gate"), ("certainty=adapter", "certainty")):
        with pytest.raises(
            ConfigurationError, match=rf"adapter {name} of .*\.toml has none: set weights.path to {name}\.gguf"
        ):
            async with serving_llm(settings(engines, tmp_path, llm=str(tmp_path / "some.gguf"))):
                pass
