"""An exchange as HTML: pure functions from what the bot said to what the page shows, every text escaped."""

from collections.abc import Sequence

from contracts.answer import Answer, CheckedSentence, Citation, JudgedSentence
from ui import texts
from ui.conversations import Exchange
from ui.html import Safe, element, join
from ui.markdown import MarkedSentence, render_markdown
from ui.readings import render_readings
from ui.refusals import render_clarification, render_refusal, render_unknown_terms

_MARKS = {"unfaithful": texts.UNSUPPORTED, "partial": texts.PARTLY_SUPPORTED}


def render_exchange(exchange: Exchange, *, contact: str) -> Safe:
    """Render a question and what came of it so far."""
    note = element("p", exchange.note, class_="note") if exchange.note else None
    question = element("p", exchange.question, class_="words", dir="auto")
    asked = element("div", element("span", texts.YOU, class_="sr"), question, note, class_="asked")
    reply = element("div", *_reply(exchange, contact), class_="reply", aria_busy=str(not exchange.finished).lower())
    return element("article", asked, reply, class_="exchange", data_key=f"exchange-{exchange.number}")


def render_welcome(examples: Sequence[str]) -> Safe:
    """Render what an empty conversation shows: what the bot does, and questions to begin with."""
    buttons = [
        element("button", example, type="button", class_="example", data_action="example", data_option=index)
        for index, example in enumerate(examples)
    ]
    offered = (
        element("div", element("h3", texts.EXAMPLES), element("div", *buttons, class_="examples")) if buttons else None
    )
    return element(
        "div", element("h2", texts.WELCOME), element("p", texts.WELCOME_MORE), offered, class_="welcome", data_key="hi"
    )


def render_departments(names: Sequence[str], chosen: str) -> Safe | None:
    """Render the choice of a department; None where there is nothing to choose."""
    if not names:
        return None
    options = [element("option", texts.ANY_DEPARTMENT, value="")]
    options += [element("option", name, value=name, selected=name == chosen) for name in names]
    return element("select", *options, aria_label=texts.DEPARTMENT, data_action="department")


def render_steps(exchange: Exchange) -> Safe | None:
    """Render the steps, folded; while the bot works, the line in sight names the step under way."""
    if not exchange.steps and exchange.finished:
        return None
    rows = [
        element(
            "li",
            element("span", step_name(step.node), class_="step-name"),
            element("span", step.finding, class_="finding"),
            element("span", duration(step.milliseconds), class_="time"),
            title=texts.BY_ENGINE.get(step.provenance.implementation) if step.provenance else None,
        )
        for step in exchange.steps
    ]
    rows += [element("li", element("span", step_name(node), class_="step-name"), class_="now") for node in
             exchange.running]  # fmt: skip
    spinner = None if exchange.finished else element("span", class_="spinner", aria_hidden="true")
    summary = element("summary", element("span", _progress(exchange), class_="progress"), spinner)
    name = "steps" if exchange.finished else "steps working"
    return element("details", summary, element("ol", *rows), class_=name, data_key="steps")


def step_name(node: str) -> str:
    """Return a node's name in words; an unknown node's own name with its underscores gone."""
    return texts.STEPS.get(node) or node.replace("_", " ").capitalize()


def duration(milliseconds: float) -> str:
    """Write a time for people: ``12 ms`` or ``1.4 s``."""
    return f"{milliseconds:.0f} ms" if milliseconds < 999.5 else f"{milliseconds / 1000:.1f} s"


def percent(probability: float) -> str:
    """Write a probability for people."""
    return f"{round(100 * probability)} %"


def _progress(exchange: Exchange) -> str:
    if not exchange.finished:
        return f"{step_name(exchange.running[-1])}…" if exchange.running else texts.WORKING
    if exchange.answer is None:
        return texts.STEPS_STOPPED.format(count=len(exchange.steps))
    # Some steps run side by side: their sum would be more than the person waited.
    return texts.STEPS_DONE.format(count=len(exchange.steps), duration=duration(exchange.took_s * 1_000))


def _reply(exchange: Exchange, contact: str) -> list[Safe | None]:
    answer = exchange.answer
    parts: list[Safe | None] = []
    if answer is not None:
        parts += [render_readings(answer, exchange.number), render_steps(exchange), *_outcome(exchange, contact)]
        return parts
    parts.append(render_steps(exchange))
    if exchange.restored:
        parts.append(element("div", render_markdown(exchange.restored)[0], class_="answer"))
    if exchange.draft:
        marked = [_marked(sentence) for sentence in exchange.judged if sentence.label in _MARKS]
        draft = render_markdown(exchange.draft, marked=marked)[0]
        parts.append(element("div", draft, class_="answer draft", data_key="answer"))
        parts.append(_sources(exchange.citations, exchange.number))
    if exchange.stopped:
        parts.append(element("p", texts.STOPPED, class_="remark"))
    if exchange.problem:
        parts.append(element("p", exchange.problem, class_="problem", role="alert"))
    return parts


def _outcome(exchange: Exchange, contact: str) -> list[Safe | None]:
    answer, number = exchange.answer, exchange.number
    assert answer is not None
    if answer.outcome == "declined":
        return [render_refusal(answer, contact)]
    if answer.outcome == "unknown_term":
        return [render_unknown_terms(answer, number, contact)]
    if answer.outcome == "clarify":
        return [render_clarification(answer, number)]
    return [render_answer(answer, number), _judgement(answer), _sources(answer.citations, number)]


def render_answer(answer: Answer, exchange: int) -> Safe:
    """Render an answer's text: numbered citations as buttons, what is not supported underlined with the reason."""
    known = {citation.number: citation for citation in answer.citations}

    def cite(number: int) -> Safe | None:
        return _cite_button(known[number], exchange) if number in known else None

    marked = [_marked(sentence) for sentence in answer.sentences if sentence.label in _MARKS]
    rendered, lost = render_markdown(answer.text, cite=cite, marked=marked)
    rest = None
    if lost:
        items = [element("li", element("q", each.text), " ", each.remark) for each in lost]
        rest = element("div", element("h4", texts.UNSUPPORTED_HEAD), element("ul", *items), class_="unsupported")
    return element("div", rendered, rest, class_="answer", data_key="answer")


def _marked(sentence: CheckedSentence | JudgedSentence) -> MarkedSentence:
    remark = " ".join(filter(None, [_MARKS[sentence.label], sentence.reason]))
    return MarkedSentence(text=sentence.text, css_class=sentence.label, remark=remark)


def _cite_button(citation: Citation, exchange: int) -> Safe:
    return element(
        "button",
        str(citation.number),
        type="button",
        class_="cite",
        data_action="cite",
        data_exchange=exchange,
        data_number=citation.number,
        aria_label=_describe(citation),
        title=f"{citation.document_title or citation.document_name}, {texts.PAGE.format(page=citation.page)}",
    )


def _describe(citation: Citation) -> str:
    title = citation.document_title or citation.document_name
    return texts.CITATION.format(number=citation.number, title=title, page=citation.page)


def _sources(citations: Sequence[Citation], exchange: int) -> Safe | None:
    if not citations:
        return None
    items = [
        element(
            "li",
            element(
                "button",
                element("span", str(citation.number), class_="badge", aria_hidden="true"),
                element("span", citation.document_title or citation.document_name, class_="document"),
                element("span", texts.PAGE.format(page=citation.page), class_="page"),
                type="button",
                class_="source",
                data_action="cite",
                data_exchange=exchange,
                data_number=citation.number,
                aria_label=_describe(citation),
            ),
        )
        for citation in citations
    ]
    return element("div", element("h4", texts.SOURCES), element("ol", *items), class_="sources", data_key="sources")


def _judgement(answer: Answer) -> Safe:
    parts: list[Safe | None] = []
    if answer.certainty is not None:
        words = next(words for least, words in texts.CERTAINTY_WORDS if answer.certainty >= least)
        level = "high" if answer.certainty >= 0.7 else "middle" if answer.certainty >= 0.5 else "low"
        filled = round(100 * answer.certainty)
        bar = element("span", element("span", style=f"width:{filled}%"), class_="bar", aria_hidden="true")
        said = element("span", f"{words} · {percent(answer.certainty)}")
        parts.append(element("span", bar, said, class_=f"certainty {level}", title=texts.CERTAINTY))
    if answer.context:
        sure = answer.context_probability
        line = texts.CONTEXT_PROBABILITY if sure else texts.CONTEXT
        parts.append(element("span", line.format(name=answer.context, percent=percent(sure)), class_="context"))
    if answer.degraded:
        steps = ", ".join(step_name(each.split(":")[0]) for each in answer.degraded)
        parts.append(element("span", texts.DEGRADED.format(steps=steps), class_="degraded"))
    return element("div", join(parts), class_="judgement", data_key="judgement")
