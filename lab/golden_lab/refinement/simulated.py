"""A writer that is no model, to prove that a study runs: its figures say nothing of any policy.

It answers with sentences of the passages, drawn by the request's seed. Now and then it names another passage behind
one, or adds a sentence that stands nowhere. Told that words may come from memory, it leaves that one out; under a
critique of its own it adds another one.
"""

import random
import re

from tools.chat.base import ChatRequest
from tools.chat.scripted import ScriptedChatModel

_MARKED = re.compile(r"^\[(\d+)\.\d+\] (.+)$", re.MULTILINE)
_DRAFT = re.compile(r"^<<draft \w+>>\n(.*?)\n<<end", re.MULTILINE | re.DOTALL)
_QUESTION = re.compile(r"^Question: (.+)$", re.MULTILINE)
_CRITIQUED = re.compile(r"^Critique of the draft: (.+)$", re.MULTILINE)
_WORD = re.compile(r"\w{3,}")
_FROM_MEMORY = (
    "Experts elsewhere commonly recommend otherwise, because practice differs between industries, regions and decades.",
    "Historically this varied between manufacturers, whose engineers long disputed whether such advice was sensible.",
)
_CRITIQUE = "Be more thorough: elaborate on the background and mention further aspects."


def simulated_chat() -> ScriptedChatModel:
    """Return the writer as a chat model."""
    return ScriptedChatModel(_reply, model="simulated")


def _reply(request: ChatRequest) -> str:
    prompt = request.messages[-1].content
    found = _QUESTION.search(prompt)
    question = found.group(1) if found else ""
    draw = random.Random(f"{request.seed} {question} {_CRITIQUED.findall(prompt)}")
    if "# Task: a critique" in prompt:
        return _CRITIQUE
    marked = _MARKED.findall(prompt)
    if not marked:
        return f"{draw.choice(_FROM_MEMORY)} It depends on the case."
    asked = set(_WORD.findall(question.casefold()))
    ranked = sorted(marked, key=lambda each: -len(asked & set(_WORD.findall(each[1].casefold()))) - draw.random())
    chosen = [(text, number if draw.random() < 0.7 else draw.choice(marked)[0]) for number, text in ranked]
    sentences = [f"{text.strip().rstrip('.')} [{number}]." for text, number in chosen[: draw.choice((1, 2))]]
    return " ".join([*sentences, *_asides(prompt, draw)])


def _asides(prompt: str, draw: random.Random) -> list[str]:
    """Return what is added though no passage says it."""
    rewriting = _DRAFT.search(prompt) is not None
    if rewriting and _CRITIQUE in prompt:
        return list(_FROM_MEMORY)
    unlikely = rewriting and "from memory" in prompt
    return [draw.choice(_FROM_MEMORY)] if draw.random() < (0.1 if unlikely else 0.6) else []
