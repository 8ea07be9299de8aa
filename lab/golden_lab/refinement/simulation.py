"""A writer that is no model, for trial runs of the study: it copies passages, and adds what no passage says."""

import random
import re

from tools.chat.base import ChatRequest
from tools.chat.scripted import ScriptedChatModel

# Whose figures mean nothing.
SIMULATED = "simulated"

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
    return ScriptedChatModel(_reply, model=SIMULATED)


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
    rewriting = _DRAFT.search(prompt) is not None
    if rewriting and _CRITIQUE in prompt:
        sentences += _FROM_MEMORY
    elif draw.random() < (0.1 if rewriting and "from memory" in prompt else 0.6):
        sentences.append(draw.choice(_FROM_MEMORY))
    return " ".join(sentences)
