"""An answer's text: numbered citations as buttons, what is not supported underlined with the reason; its sources."""

from collections.abc import Sequence

from contracts.answer import Answer, CheckedSentence, Citation, JudgedSentence, NearDocument
from ui.chat.steps import step_name
from ui.html import Safe, button, element, join
from ui.markdown import MarkedSentence, render_markdown
from ui.words import Words

_MARKS = frozenset({"unfaithful", "partial"})
_SURE = ((0.9, "very"), (0.7, "fairly"), (0.5, "hardly"), (0.0, "not"))


def render_answer(answer: Answer, exchange: int, words: Words) -> Safe:
    """Render an answer's text."""
    known = {citation.number: citation for citation in answer.citations}

    def cite(number: int) -> Safe | None:
        return _cite_button(known[number], exchange, words) if number in known else None

    rendered, lost = render_markdown(answer.text, cite=cite, marked=marked(answer.sentences, words))
    rest = None
    if lost:
        items = [element("li", element("q", each.text), " ", each.remark) for each in lost]
        rest = element("div", element("h4", words("chat.unsupported")), element("ul", *items), class_="unsupported")
    return element("div", rendered, rest, class_="answer", data_key="answer")


def render_draft(draft: str, judged: Sequence[JudgedSentence], words: Words) -> Safe:
    """Render what is being written."""
    return element("div", render_markdown(draft, marked=marked(judged, words))[0], class_="answer draft",
                   data_key="answer")  # fmt: skip


def marked(sentences: Sequence[CheckedSentence | JudgedSentence], words: Words) -> list[MarkedSentence]:
    """Return the sentences to underline, each with the reason."""
    weak = [each for each in sentences if each.label in _MARKS]
    return [
        MarkedSentence(
            text=each.text,
            css_class=each.label,
            remark=" ".join(filter(None, [words(f"chat.mark.{each.label}"), each.reason])),
        )
        for each in weak
    ]


def render_sources(citations: Sequence[Citation], exchange: int, words: Words) -> Safe | None:
    """Render where the answer stands, a button for each citation; None where there is none."""
    if not citations:
        return None
    buttons = [source_button(each, exchange, each.number, words) for each in citations]
    head = element("h4", words("chat.sources"))
    return element("div", head, element("ol", *buttons), class_="sources", data_key="sources")


def source_button(shown: Citation | NearDocument, exchange: int, number: int, words: Words) -> Safe:
    """Render the item of a list that opens a cited page, or a document that comes near, by its number."""
    cited = isinstance(shown, Citation)
    opens = button(
        "cite" if cited else "near",
        element("span", str(number), class_="badge", aria_hidden="true") if cited else None,
        element("span", shown.shown_name, class_="document"),
        element("span", words("chat.page", page=shown.page), class_="page"),
        class_="source",
        data_exchange=exchange,
        data_number=number,
        title=words("chat.source", number=number, title=shown.shown_name, page=shown.page) if cited else None,
    )
    return element("li", opens)


def render_judgement(answer: Answer, words: Words) -> Safe:
    """Render how sure the answer is, its context, and what ran degraded."""
    parts: list[Safe | None] = []
    if answer.certainty is not None:
        sure = next(name for least, name in _SURE if answer.certainty >= least)
        level = "high" if answer.certainty >= 0.7 else "middle" if answer.certainty >= 0.5 else "low"
        filled = round(100 * answer.certainty)
        bar = element("span", element("span", style=f"width:{filled}%"), class_="bar-of", aria_hidden="true")
        said = element("span", f"{words(f'chat.sure.{sure}')} · {words.percent(answer.certainty)}")
        parts.append(element("span", bar, said, class_=f"certainty {level}", title=words("chat.certainty")))
    if answer.context:
        share = answer.context_probability
        line = words("chat.context_sure", name=answer.context, percent=words.percent(share))
        line = line if share else words("chat.context", name=answer.context)
        parts.append(element("span", line, class_="context"))
    if answer.degraded:
        steps = ", ".join(dict.fromkeys(step_name(each.split(":")[0], words) for each in answer.degraded))
        parts.append(element("span", words("chat.degraded", steps=steps), class_="degraded"))
    return element("div", join(parts), class_="judgement", data_key="judgement")


def _cite_button(citation: Citation, exchange: int, words: Words) -> Safe:
    label = words("chat.source", number=citation.number, title=citation.shown_name, page=citation.page)
    return button(
        "cite",
        str(citation.number),
        class_="cite",
        data_exchange=exchange,
        data_number=citation.number,
        aria_label=label,
        title=f"{citation.shown_name}, {words('chat.page', page=citation.page)}",
    )
