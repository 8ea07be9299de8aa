"""Renders the parts of the chat page from the server's data."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from markupsafe import Markup

from agent.phases import NODES_OF, phase_of
from contracts.answer import Answer, Citation
from contracts.jargon import Reading, Sense
from contracts.records import FeedbackReason
from serving.me import Me
from ui.chat.conversation import NOTHING_CHOSEN, Chosen, Conversation, Exchange
from ui.html import render
from ui.markdown import MARKER, MarkedSentence, render_markdown, weak_sentences
from ui.passage import render_passage
from ui.words import DEFAULT, Words

REASONS: tuple[FeedbackReason, ...] = (
    "wrong", "incomplete", "outdated", "misread_term", "wrong_source", "should_have_answered", "unclear", "other",
)  # fmt: skip
MAX_TYPED_CHARACTERS = 100_000
_TIP_CHARACTERS = 400

_CONNECT = """```
golden serve --model models/some.gguf
GOLDEN_LLM=ollama:qwen3:4b golden serve
GOLDEN_LLM=http://host:8080/v1#NAME golden serve
```"""


def render_past(conversation: Conversation, contact: str, words: Words) -> Markup:
    """Render the exchanges before the last one."""
    return _render("past", words, contact, exchanges=conversation.exchanges[:-1])


def render_live(
    conversation: Conversation, me: Me, contact: str, words: Words, path: Callable[[str], str] = str
) -> Markup:
    """Render the last exchange, or a welcome for ``me``, with data about the conversation for the page's scripts.

    ``path`` returns the address of a page. If documents are quoted, an admin sees how to connect a language model.
    """
    last = conversation.exchanges[-1] if conversation.exchanges else None
    connect = render_markdown(_CONNECT, words=words)[0] if "admin" in me.scopes and not me.writer else None
    return _render("live", words, contact, conversation=conversation, last=last, me=me, connect=connect,
                   path=path)  # fmt: skip


def render_composer(
    me: Me | None,
    words: Words,
    chosen: Chosen = NOTHING_CHOSEN,
    *,
    collections: Sequence[str] = (),
    documents: Mapping[str, str] = MappingProxyType({}),
) -> Markup:
    """Render the composer, with the ``chosen`` and the available choices of ``me`` (None: not known yet).

    ``documents`` are names by id, those chosen first.
    """
    return _render("composer", words, "", me=me, chosen=chosen, collections=collections, documents=documents,
                   most=MAX_TYPED_CHARACTERS, asked=Exchange(number=0, question=""))  # fmt: skip


def _render(template: str, words: Words, contact: str, **values: object) -> Markup:
    return render(
        f"chat/{template}.html",
        words=words,
        contact=contact,
        answer_text=partial(_answer_text, words),
        draft_text=lambda exchange: render_markdown(exchange.draft)[0],
        # The graph writes its findings and reasons in English only.
        explains=words.language == DEFAULT,
        fallback_notices=partial(_fallback_notices, words),
        progress=progress,
        is_quoted=_is_quoted,
        excerpt=_excerpt,
        other_senses=other_senses,
        by_page=_by_page,
        as_markdown=partial(as_markdown, words),
        reasons=REASONS,
        **values,
    )


def progress(exchange: Exchange, words: Words) -> str:
    """Return the progress as one line."""
    if not exchange.finished:
        nodes = [*(step.node for step in exchange.steps), *exchange.running]
        phase = next(filter(None, map(phase_of, reversed(nodes))), "read_question")
        if phase == "search" and exchange.passages:
            return words.count("chat.phase.search_passages", exchange.passages)
        return words(f"chat.phase.{phase}")
    steps = words.count("chat.steps.count", len(exchange.steps))
    if exchange.answer is None:
        return words("chat.steps.stopped", steps=steps)
    # Some steps run in parallel, so their sum would exceed the time that the person waited.
    return words("chat.steps.done", steps=steps, duration=words.seconds(exchange.took_s * 1_000))


def other_senses(reading: Reading) -> tuple[Sense, ...]:
    """Return the alternatives that differ from the reading's own sense, in their order."""
    sense = reading.sense
    own = (sense.extended_name, sense.context) if sense is not None else None
    return tuple(each for each in reading.alternatives if (each.extended_name, each.context) != own)


def _by_page(citations: Sequence[Citation]) -> list[list[Citation]]:
    """Return the citations grouped by page, in their order."""
    pages: dict[tuple[str, int], list[Citation]] = {}
    for each in citations:
        pages.setdefault((each.document_id or each.document_name, each.page), []).append(each)
    return list(pages.values())


def _is_quoted(answer: Answer) -> bool:
    """Return whether the answer is in the documents' own words: the built-in engine quotes."""
    writers = [each.provenance for each in answer.steps if each.node in NODES_OF["write"]]
    return bool(writers and writers[-1] and writers[-1].implementation == "embedded")


def _excerpt(citation: Citation) -> Markup:
    """Render a quotation in its paragraph, if its position there is known."""
    spans = citation.quote_spans
    return render_passage(citation.passage_text, spans, excerpt=True) if spans else render_passage(citation.quote, ())


def as_markdown(words: Words, exchange: Exchange) -> str:
    """Return question and answer as Markdown, with a footnote for each source."""
    answer = exchange.answer
    cited = {each.number: each for each in answer.citations} if answer is not None else {}

    def notes(match: re.Match[str]) -> str:
        numbers = [int(each) for each in re.findall(r"\d+", match.group(1))]
        return "".join(f"[^{each}]" for each in numbers) if set(numbers) <= set(cited) else match.group(0)

    lines = [f"**{exchange.question}**", "", MARKER.sub(notes, exchange.text)]
    for number, each in sorted(cited.items()):
        quote = " ".join(each.quote.split())
        lines += ["", f"[^{number}]: {words('chat.cited', name=each.document_name, page=each.page, quote=quote)}"]
    return "\n".join(lines) + "\n"


def _answer_text(words: Words, answer: Answer, exchange: int) -> tuple[Markup, tuple[MarkedSentence, ...]]:
    """Return an answer's text, with citation buttons and weak sentences marked, and the sentences not found in it."""
    known = {citation.number: citation for citation in answer.citations}

    def cite(number: int) -> Markup | None:
        return _cite_button(known[number], exchange, words) if number in known else None

    return render_markdown(answer.text, cite=cite, marked=weak_sentences(answer.sentences, words), words=words)


def _cite_button(citation: Citation, exchange: int, words: Words) -> Markup:
    place = f"{citation.shown_name}, {words('chat.page', page=citation.page)}"
    tip = f"{' '.join(citation.quote.split())[:_TIP_CHARACTERS]}\n{place}"
    label = words("chat.source", number=citation.number, title=citation.shown_name, page=citation.page)
    button = Markup(
        '<button type="button" data-action="cite" class="cite" data-exchange="{exchange}" data-number="{number}"'
        ' aria-label="{label}" data-tip="{tip}">{number}</button>'
    )
    return button.format(exchange=exchange, number=citation.number, label=label, tip=tip)


def _fallback_notices(words: Words, answer: Answer) -> list[str]:
    steps = list(dict.fromkeys(each.split(":")[0] for each in answer.degraded))
    others = ", ".join(words.named("chat.step", step) for step in steps if step != "quote_answer")
    quoted = [words("chat.unsupported_draft")] if "quote_answer" in steps else []
    return [*quoted, *([words("chat.degraded", steps=others)] if others else [])]
