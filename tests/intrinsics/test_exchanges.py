"""Whole exchanges with a chat server, kept in ``exchanges/``: what goes out exactly, and what is made of the reply.

The replies are written in the form in which vLLM sends them. A prompt that changes fails here until its version and
the kept messages change too.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from contracts.jargon import Mention, Reading, Sense
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Chunk, Passage, Span
from contracts.verdicts import FaithfulnessVerdict, RelevanceVerdict, SentenceFaithfulness
from intrinsics.answerability.llm import PromptedAnswerabilityJudge
from intrinsics.certainty.base import AnswerEvidence
from intrinsics.certainty.llm import PromptedCertaintyEstimator
from intrinsics.query_expansion.llm import PromptedQueryExpander
from intrinsics.term_mining.llm import PromptedTermMiner
from tests.intrinsics.playing import play
from tools.chat.base import ChatModel

FOLDER = Path(__file__).with_name("exchanges")
SENSE = Sense(id=1, term="BLP", extended_name="ballast pump", aliases=("bilge pump",))


def passage(ordinal: int, text: str) -> Passage:
    chunk = Chunk(
        id=f"c{ordinal}", document_id="d", kind="passage", ordinal=ordinal, text=text, page=2 + ordinal, last_page=9,
        heading_path=("Care",),
    )  # fmt: skip
    return Passage(chunk=chunk, document_name="tanks.pdf", document_title="Tanks", score=1.0, sentences=(Span(0, 25),))


PASSAGES = (
    passage(0, "The ballast pump is loud.\nIt stands in hall 2."),
    passage(1, "A weak fuse trips the BLP\nand the TKL."),
)
ANSWER = ("A weak fuse trips the BLP.", "It carries 90 A.", "Shall I say more?")


async def expand(chat: ChatModel) -> Any:
    reading = Reading(mention=Mention(text="BLP", span=Span(13, 16), term="BLP"), status="chosen", sense=SENSE)
    text = "Why does the BLP trip?"
    question = AugmentedQuestion(
        question=text, text=text, readings=(reading,), provenance=Provenance(implementation="embedded")
    )
    found = await PromptedQueryExpander(chat).expand(question, ())
    return {"variants": list(found.variants), "version": found.provenance.prompt_version}


async def mine(chat: ChatModel) -> Any:
    found = await PromptedTermMiner(chat).mine("Each ballast pump (BLP) has a fuse.\nTKL | tank level sensor", page=2)
    terms = [[each.term, each.extended_name, each.evidence, each.page] for each in found.terms]
    return {"terms": terms, "version": found.provenance.prompt_version}


async def answerability(chat: ChatModel) -> Any:
    reading = Reading(mention=Mention(text="BLP", span=Span(13, 16), term="BLP"), status="chosen", sense=SENSE)
    question = AugmentedQuestion(
        question="Why does the BLP trip in Oslo?",
        text="Why does the BLP trip in Oslo?\nBLP means ballast pump.",
        readings=(reading,),
        provenance=Provenance(implementation="embedded"),
    )
    found = await PromptedAnswerabilityJudge(chat).judge(question, PASSAGES)
    return {
        "probability": round(found.probability, 3),
        "missing": list(found.missing),
        "version": found.provenance.prompt_version,
    }


async def be_certain(chat: ChatModel) -> Any:
    made = Provenance(implementation="test")
    evidence = AnswerEvidence(
        question="Why does the BLP trip?",
        answer=" ".join(ANSWER),
        passages=PASSAGES,
        answerability=0.9,
        faithfulness=FaithfulnessVerdict(
            sentences=(SentenceFaithfulness(label="faithful", probability=0.9),), provenance=made
        ),
        relevance=RelevanceVerdict(passages=(), provenance=made),
    )
    found = await PromptedCertaintyEstimator(chat).estimate(evidence)
    return {"probability": found.probability, "version": found.provenance.prompt_version}


ASKED: dict[str, Callable[[ChatModel], Awaitable[Any]]] = {
    "query_expansion": expand,
    "term_mining": mine,
    "answerability": answerability,
    "certainty": be_certain,
}


@pytest.mark.parametrize("name", ASKED)
async def test_an_exchange_goes_as_it_is_kept(name: str) -> None:
    kept, body = await play(FOLDER / f"{name}.json", ASKED[name])
    assert body["messages"] == kept["request"]["messages"]
    for key in ("model", "max_tokens", "temperature"):
        assert body[key] == kept["request"][key]
    if kept["request"]["fields"]:
        assert set(body["response_format"]["json_schema"]["schema"]["properties"]) == set(kept["request"]["fields"])
    else:
        # A label is asked for as the first word, and no form beside it.
        assert "response_format" not in body
        assert body["top_logprobs"] == 20
