"""The try-box: how a question would be read with the dictionary as it is."""

from collections.abc import Sequence

from serving.dictionary.reading import MentionItem, QuestionReading, ReadingItem
from ui.dictionary import pieces
from ui.dictionary.place import Where
from ui.html import Safe, element, join
from ui.words import Words

_CONTEXTS_SHOWN = 3


def render_box(words: Words, where: Where, departments: Sequence[str]) -> Safe:
    """Render the box in which a question is tried."""
    options = [("", words("dictionary.try.nobody")), *((each, each) for each in departments)]
    chosen = pieces.choice(words("dictionary.try.department"), "department", options, where.department,
                           data_action="try")  # fmt: skip
    return element(
        "div",
        pieces.line(words("dictionary.try.label"), "q", where.q, data_live="try", data_key="try",
                    placeholder=words("dictionary.try.example"), maxlength=4_000),
        chosen if departments else None,
        pieces.button(words("dictionary.try.clear"), "try_clear") if where.q else None,
        class_="toolbar",
        data_form=True,
    )  # fmt: skip


def render_reading(words: Words, read: QuestionReading) -> Safe:
    """Render how a question would be read: its terms marked, the meaning of each, its context, and what comes next."""
    question = element("p", _marked(read.question, read.mentions), class_="tried", dir="auto")
    shares = [each for each in read.contexts if each.probability >= 0.01][:_CONTEXTS_SHOWN]
    context = [pieces.chip(f"{each.name} {words.percent(each.probability)}", "context") for each in shares]
    line = element("p", words("dictionary.try.context"), " ", join(context, " ") if context else
                   words("dictionary.try.no_context"))  # fmt: skip
    terms = [element("li", _read(words, each), class_=each.status) for each in read.readings]
    found = element("ul", *terms, class_="readings") if terms else element("p", words("dictionary.try.no_terms"))
    outcome = element("p", words(f"dictionary.try.outcome.{read.outcome}"), class_=f"outcome {read.outcome}")
    augmented = None
    if read.outcome == "answer" and read.augmented_question not in ("", read.question):
        augmented = element("p", element("span", words("dictionary.try.searched"), class_="quiet"), " ",
                            read.augmented_question, dir="auto")  # fmt: skip
    return element("div", question, found, line, outcome, augmented, class_="reading", aria_live="polite")


def _marked(question: str, mentions: Sequence[MentionItem]) -> Safe:
    parts: list[str] = []
    done = 0
    for each in sorted(mentions, key=lambda each: each.start):
        if not done <= each.start < each.end <= len(question):
            continue
        parts += [question[done : each.start], element("mark", question[each.start : each.end])]
        done = each.end
    return join([*parts, question[done:]])


def _read(words: Words, read: ReadingItem) -> Safe:
    head = element("strong", read.text)
    spelt = element("span", f" ({read.term})", class_="quiet") if read.term != read.text else None
    said = element("span", words(f"dictionary.try.status.{read.status}"), class_="quiet")
    parts: list[str | None] = [head, spelt, " "]
    if read.sense is not None:
        parts += [read.sense.extended_name, " ", pieces.context_chip(words, read.sense.context), " ",
                  words.percent(read.probability), " "]  # fmt: skip
    parts += [said, element("p", read.reason, class_="quiet") if read.reason else None]
    others = [element("li", each.extended_name, " ", pieces.context_chip(words, each.context))
              for each in read.alternatives]  # fmt: skip
    if others:
        title = words("dictionary.try.others")
        parts.append(element("div", element("span", title, class_="quiet"), element("ul", *others), class_="others"))
    if read.suggestions:
        parts.append(element("p", words("dictionary.try.near", near=", ".join(read.suggestions)), class_="quiet"))
    if read.status == "unknown":
        parts.append(pieces.button(words("dictionary.try.add", term=read.term), "new", data_term=read.term))
    return join(parts)
