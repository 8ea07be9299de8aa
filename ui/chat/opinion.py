"""What can be done with an answer: copy it with its sources, ask again, say whether it is right."""

import re

from contracts.answer import Answer
from contracts.records import Feedback, FeedbackReason
from ui.chat.conversation import Exchange
from ui.html import Safe, button, element
from ui.words import Words

REASONS: tuple[FeedbackReason, ...] = (
    "wrong", "incomplete", "outdated", "misread_term", "wrong_source", "should_have_answered", "unclear", "other",
)  # fmt: skip
_MARKER = re.compile(r"(?<!\w)\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")


def render_tools(exchange: Exchange, words: Words) -> Safe:
    """Render the row of buttons below an answer, and what opens below it."""
    number, answer = exchange.number, exchange.answer
    buttons: list[Safe | None] = []
    if answer is not None and exchange.text:
        buttons.append(
            element("button", words("chat.opinion.copy"), type="button", class_="tool", data_copy=as_markdown(exchange),
                    data_copied=words("chat.opinion.copied"), data_failed=words("chat.opinion.not_copied"))
        )  # fmt: skip
    buttons.append(_tool(words("chat.again"), "again", number))
    opinion, form = None, None
    if answer is not None and answer.turn_id:
        said = exchange.feedback
        opinion = element("span", _thumb("up", said, number, words), _thumb("down", said, number, words),
                          class_="thumbs", role="group", aria_label=words("chat.opinion.head"))  # fmt: skip
        form = _why(said, number, words) if said is not None and said.verdict == "down" else None
        if said is not None and (said.verdict == "up" or said.reason or said.text):
            form = element("p", words("chat.opinion.thanks"), class_="quiet", data_key="thanks")
    row = element("div", *buttons, opinion, class_="tool-row")
    return element("div", row, form, class_="tools", data_key="tools")


def render_follow_ups(answer: Answer, exchange: int, words: Words) -> Safe | None:
    """Render questions that may come next; None where there are none."""
    if not answer.follow_ups:
        return None
    buttons = [
        button("follow", question, class_="example", data_exchange=exchange, data_option=place)
        for place, question in enumerate(answer.follow_ups)
    ]  # fmt: skip
    head = element("h4", words("chat.follow.head"))
    return element("div", head, element("div", *buttons, class_="examples"), class_="follow", data_key="follow")


def as_markdown(exchange: Exchange) -> str:
    """Return question and answer as Markdown, with a footnote for each source."""
    answer = exchange.answer
    cited = {each.number: each for each in answer.citations} if answer is not None else {}

    def notes(match: re.Match[str]) -> str:
        numbers = [int(each) for each in re.findall(r"\d+", match.group(1))]
        return "".join(f"[^{each}]" for each in numbers) if set(numbers) <= set(cited) else match.group(0)

    lines = [f"**{exchange.question}**", "", _MARKER.sub(notes, exchange.text)]
    for number, each in sorted(cited.items()):
        quote = " ".join(each.quote.split())
        lines += ["", f"[^{number}]: {each.document_name}, p. {each.page}: “{quote}”"]
    return "\n".join(lines) + "\n"


def _tool(label: str, action: str, number: int) -> Safe:
    return button(action, label, class_="tool", data_exchange=number)


def _thumb(verdict: str, said: Feedback | None, number: int, words: Words) -> Safe:
    chosen = said is not None and said.verdict == verdict
    return button(
        "unsay" if chosen else verdict,
        element("span", class_="sign", aria_hidden="true"),
        class_=f"thumb {verdict}",
        aria_label=words(f"chat.opinion.{verdict}"),
        aria_pressed=str(chosen).lower(),
        title=words(f"chat.opinion.{verdict}"),
        data_exchange=number,
    )


def _why(said: Feedback, number: int, words: Words) -> Safe:
    options = [
        element(
            "label",
            element("input", type="radio", name="reason", value=each, checked=said.reason == each),
            element("span", words(f"chat.opinion.reason.{each}")),
        )
        for each in REASONS
    ]
    group = element("fieldset", element("legend", words("chat.opinion.why")), *options, class_="reasons")
    text = element("label", element("span", words("chat.opinion.text")),
                   element("textarea", said.text, name="text", rows=2, maxlength=2000), class_="why")  # fmt: skip
    send = button("why", words("chat.opinion.send"), class_="tool", data_exchange=number)
    return element("div", group, text, send, class_="because", data_form=True, data_key="because")
