"""A case's passages make the very prompt that the passages which search brought make."""

from dataclasses import replace
from pathlib import Path

import pytest

from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from golden_lab.training.judgements.cases import case_passage, passages_of
from golden_lab.training.judgements.examples import CapturingChatModel
from golden_lab.wiring.training_prompts import adapter_to_train, online_judgement
from golden_retriever.settings import Settings
from tests.agent.plant import plant_library
from tools.embedding.hashing import HashingEmbedder

ASKED = "How long does an EBR cycle take?"
ANSWER = ("One EBR cycle takes 36 hours.",)
REPLIES = {
    "answerability": ("answerable", "answerable"),
    "context_relevance": ('{"context_relevance": "relevant"}', "relevant"),
    "citation": ('[{"r": 0, "c": []}]', '{"citations": [{"sentence": 1, "ids": []}]}'),
    "faithfulness": (
        '[{"i": 0, "r": "So.", "f": "faithful"}]',
        '{"sentences": [{"sentence": 1, "reason": "So.", "label": "faithful"}]}',
    ),
}


@pytest.mark.parametrize("messages", [False, True])
@pytest.mark.parametrize("name", REPLIES)
async def test_nothing_that_a_prompt_shows_of_a_passage_is_lost(name: str, messages: bool, tmp_path: Path) -> None:
    async with plant_library(tmp_path, HashingEmbedder()) as (searcher, _):
        found = await searcher.search([ASKED], 3)
    assert len(found) == 3
    # A document without a title is shown by its name, one with a title by that, each in its place.
    bare = replace(found[0], document_title="", chunk=replace(found[0].chunk, document_title="", page=7))
    found = (bare, *found[1:])
    if name == "context_relevance":
        found = found[:1]
    settings, prompts = Settings(), []
    for passages in (found, passages_of(tuple(map(case_passage, found)))):
        chat = CapturingChatModel(lambda request: REPLIES[name][messages])
        judge = online_judgement(settings, name, chat, adapter_to_train(settings, name, messages=messages)).judge
        if name == "answerability":
            provenance = Provenance(implementation="embedded")
            await judge.judge(AugmentedQuestion(question=ASKED, text=ASKED, provenance=provenance), passages)
        elif name == "context_relevance":
            await judge.judge(ASKED, passages)
        elif name == "citation":
            await judge.find(ANSWER, passages, question=ASKED)
        else:
            await judge.judge(ASKED, ANSWER, passages)
        assert chat.request is not None
        prompts.append((chat.request.prompt, chat.request.messages))
    assert prompts[0] == prompts[1]
