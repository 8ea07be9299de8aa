"""Chat models, scripted, that check an answer by its words: they read the passages and sentences of the request."""

import json
import re

from tools.chat.base import ChatRequest
from tools.language import content_stems

_PASSAGE_SENTENCE = re.compile(r"^\[(\d+\.\d+)\] (.+)$", re.MULTILINE)
_ANSWER = re.compile(r"<<(?:answer|draft) (\w+)>>\n(.*?)\n<<end \1>>", re.DOTALL)
_ANSWER_SENTENCE = re.compile(r"^\((\d+)\) (.*)$", re.MULTILINE)


def name_sources(request: ChatRequest) -> str:
    """Name for each answer sentence the passage sentence that holds all of its words, or none."""
    found = [{"sentence": n, "ids": _holders(text, request)[:1]} for n, text in _sentences(request)]
    return json.dumps({"citations": found})


def judge_faithfulness(request: ChatRequest) -> str:
    """Call a sentence faithful whose words stand in one passage sentence."""
    asked = {int(each) for each in request.messages[-1].content.rpartition("order:\n")[2].strip(".").split(", ")}
    found = [
        {"sentence": n, "reason": "By its words.", "label": "faithful" if _holders(text, request) else "unfaithful"}
        for n, text in _sentences(request)
        if n in asked
    ]
    return json.dumps({"sentences": found})


def estimate_certainty(request: ChatRequest) -> str:
    """Be certain of an answer whose words stand in one passage sentence."""
    return json.dumps({"certainty": "9" if _holders(_answer(request), request) else "1"})


def judge_draft(request: ChatRequest) -> str:
    """Call a draft grounded whose words stand in one passage sentence."""
    return "grounded" if _holders(_answer(request), request) else "memory"


def _answer(request: ChatRequest) -> str:
    match = _ANSWER.search(request.messages[-1].content)
    assert match
    return match[2]


def _sentences(request: ChatRequest) -> list[tuple[int, str]]:
    return [(int(number), text) for number, text in _ANSWER_SENTENCE.findall(_answer(request))]


def _holders(text: str, request: ChatRequest) -> list[str]:
    wanted = set(content_stems(text))
    there = _PASSAGE_SENTENCE.findall(request.messages[-1].content)
    return [mark for mark, said in there if wanted and wanted <= set(content_stems(said))]
