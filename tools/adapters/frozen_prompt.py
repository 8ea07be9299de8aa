"""The frozen prompt of an adapter, in the format of its base model's chat template."""

import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from contracts.question import Turn
from contracts.text import Passage
from tools.adapters.declaration import AdapterPrompt

_IDENTITY = "Knowledge Cutoff Date: April 2024.\nToday's Date: {today}.\nYou are Granite, developed by IBM."
_ALONE = " You are a helpful AI assistant."
_GROUNDED = (
    " Write the response to the user's input by strictly aligning with the facts in the provided documents. If the "
    "information needed to answer the question is not available in the documents, inform the user that the question "
    "cannot be answered based on the available data."
)
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


# Formats a message, given its role and text.
_Message = Callable[[str, str], str]
# The text before a message's role, after the role, and at the end of the message.
_MARKS = {
    "granite-3.3": ("<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>"),
    "chatml": ("<|im_start|>", "\n", "<|im_end|>"),
}
# Text from users and documents must not contain the marks of the model: roles and sentence numbers.
_ROLE_MARK = re.compile(r"<(?=\|)")
_SENTENCE_MARK = re.compile(r"<(?=[a-z]\d+>)")


def mark_sentences(sentences: Sequence[str], letter: str, first: int = 0) -> str:
    """Join sentences with a mark before each ("<r0> One. <r1> Two."), or only with spaces if ``letter`` is "".

    Source: the sentence marks of the Granite adapters (arXiv 2504.11704, sections 8.1 and 9.1).
    """
    texts = [defused(sentence).strip() for sentence in sentences]
    return " ".join(f"<{letter}{number}> {text}" if letter else text for number, text in enumerate(texts, first))


def passage_sentences(passage: Passage) -> tuple[str, ...]:
    """Return the sentences of a passage, in the order of ``passage.sentences``; the whole text if there are none.

    Text between two sentences belongs to the second one; text after the last sentence belongs to that sentence.
    """
    if not passage.sentences:
        return (passage.text,)
    starts = [0, *(span.end for span in passage.sentences[:-1])]
    ends = [*(span.end for span in passage.sentences[:-1]), len(passage.text)]
    return tuple(passage.text[start:end].strip() for start, end in zip(starts, ends, strict=True))


def defused(text: str) -> str:
    """Return ``text`` with a space in everything that looks like a role or sentence mark: "< |end_of_text|>"."""
    return _SENTENCE_MARK.sub("< ", _ROLE_MARK.sub("< ", text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The input of an adapter: the ``turns``, followed by the ``question`` and the ``answer`` as sentences.

    An empty question or answer is left out.
    """

    turns: tuple[Turn, ...] = ()
    question: str = ""
    answer: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = field(default=())


def render(
    prompt: AdapterPrompt, conversation: Conversation, *, today: Callable[[], datetime.date] = datetime.date.today
) -> str:
    """Return the complete prompt for ``conversation`` in the convention granite-3.3 or chatml.

    Model marks in text from users and documents are broken by a space, so that no document can start a role. The
    default system message contains the date.

    Source: the chat templates of ibm-granite/granite-3.3-8b-instruct and HuggingFaceTB/SmolLM2-135M-Instruct, and
    ibm-granite/granite-io (Apache 2.0), which formats the published adapters' prompts; see NOTICE.
    """
    shown = prompt.documents != "none" and bool(conversation.passages)
    message = partial(_message, _MARKS[prompt.convention])
    documents = _documents(conversation.passages, prompt.passage_mark, message) if shown else ""
    parts = []
    if prompt.system == "default":
        purpose = _GROUNDED if shown and prompt.documents == "before" else _ALONE
        parts.append(message("system", _IDENTITY.format(today=_date(today())) + purpose))
    if prompt.documents == "before":
        parts.append(documents)
    parts += [message(turn.role, defused(turn.text)) for turn in conversation.turns]
    if conversation.question:
        parts.append(message("user", defused(conversation.question)))
    if conversation.answer:
        parts.append(message("assistant", mark_sentences(conversation.answer, prompt.answer_mark)))
    if prompt.repeat_as:
        parts.append(message(prompt.repeat_as, defused(conversation.question)))
    if prompt.documents == "after":
        parts.append(documents)
    return "".join(parts) + _invocation(prompt, message)


def _invocation(prompt: AdapterPrompt, message: _Message) -> str:
    before, behind, _ = _MARKS[prompt.convention]
    if prompt.invocation == "system":
        instruction = message("system", prompt.instruction)
        if prompt.convention == "chatml":
            return f"{instruction}{before}assistant{behind}"
        return instruction.removesuffix("\n")
    instruction = f": {prompt.instruction}" if prompt.instruction else ""
    return f"{before}{prompt.role}{instruction}{behind}"


def _documents(passages: Sequence[Passage], mark: str, message: _Message) -> str:
    parts = []
    sentence = 0
    for number, passage in enumerate(passages, 1):
        if mark:
            sentences = passage_sentences(passage)
            text = mark_sentences(sentences, mark, sentence)
            sentence += len(sentences)
        else:
            text = defused(passage.chunk.searchable_text)
        parts.append(message(f'document {{"document_id": "{number}"}}', f"\n{text}"))
    return "".join(parts)


def _message(marks: tuple[str, str, str], role: str, text: str) -> str:
    before, behind, end = marks
    return f"{before}{role}{behind}{text}{end}\n"


def _date(day: datetime.date) -> str:
    # Like strftime("%B %d, %Y"), but in English whatever the locale.
    return f"{_MONTHS[day.month - 1]} {day.day:02d}, {day.year}"
