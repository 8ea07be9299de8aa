"""Chat models, scripted, that check an answer by its words: they read the passages and sentences of the request."""

import json
import re

from tools.chat.base import ChatRequest
from tools.language import content_stems

_PASSAGE_SENTENCE = re.compile(r"^\[(\d+\.\d+)\] (.+)$", re.MULTILINE)
_ANSWER = re.compile(r"<<(?:answer|draft) (\w+)>>\n(.*?)\n<<end \1>>", re.DOTALL)
_MARKED = re.compile(r"<([cir])(\d+)> (.*?)(?=(?:<[cir]\d+> )|<\|end_of_text)", re.DOTALL)
_ANSWER_SENTENCE = re.compile(r"^\((\d+)\) (.*)$", re.MULTILINE)


def check_answer(request: ChatRequest) -> str:
    """Name sources and labels by the words that a passage sentence holds, in one reply."""
    asked = {int(each) for each in request.messages[-1].content.rpartition("order: ")[2].strip(".").split(", ")}
    found = []
    for number, text in _ANSWER_SENTENCE.findall(_answer(request)):
        if int(number) in asked:
            ids = _holders(text, request)[:1]
            label, reason = ("faithful", "") if ids else ("unfaithful", "It is not.")
            found.append({"sentence": int(number), "ids": ids, "label": label, "reason": reason})
    return json.dumps({"sentences": found})


def estimate_certainty(request: ChatRequest) -> str:
    """Be certain of an answer whose words stand in one passage sentence."""
    return "yes" if _holders(_answer(request), request) else "no"


def adapted_name_sources(request: ChatRequest) -> str:
    """Name for each answer sentence the passage sentence that holds all of its words, as the citation adapter does."""
    marks = [(letter, int(number), text) for letter, number, text in _MARKED.findall(request.prompt)]
    there = [(number, text) for letter, number, text in marks if letter == "c"]
    answer = [(number, text) for letter, number, text in marks if letter == "r"]
    return json.dumps(
        [{"r": n, "c": [mark for mark, source in there if _is_held(text, source)][:1]} for n, text in answer]
    )


def adapted_judge_faithfulness(request: ChatRequest) -> str:
    """Call a sentence faithful whose words stand in one passage sentence, as the hallucination adapter does."""
    labels = {
        int(number): "faithful" if _stands_in_documents(text, request) else "unfaithful"
        for letter, number, text in _MARKED.findall(request.prompt)
        if letter == "i"
    }
    return json.dumps([{"i": number, "r": "By its words.", "f": label} for number, label in labels.items()])


def adapted_estimate_certainty(request: ChatRequest) -> str:
    """As ``estimate_certainty``, in the form of the certainty adapter."""
    turns = request.prompt.partition("<|start_of_role|>user")[2]
    answer = turns.partition("<|start_of_role|>assistant<|end_of_role|>")[2].partition("<|end_of_text|>")[0]
    return "95%" if _stands_in_documents(answer, request) else "15%"


def _stands_in_documents(text: str, request: ChatRequest) -> bool:
    documents = request.prompt.partition("<|start_of_role|>user")[0].replace("\n", " ").split(". ")
    return any(_is_held(text, source) for source in documents)


def _is_held(text: str, source: str) -> bool:
    wanted = set(content_stems(text))
    return bool(wanted) and wanted <= set(content_stems(source))


def _answer(request: ChatRequest) -> str:
    match = _ANSWER.search(request.messages[-1].content)
    assert match
    return match[2]


def _holders(text: str, request: ChatRequest) -> list[str]:
    there = _PASSAGE_SENTENCE.findall(request.messages[-1].content)
    return [mark for mark, source in there if _is_held(text, source)]
