"""The reading of the jargon as chips, each of which opens to its description and its other meanings."""

from contracts.answer import Answer
from contracts.jargon import Reading, Sense
from ui import texts
from ui.html import Safe, element


def render_readings(answer: Answer, exchange: int) -> Safe | None:
    """Render a chip for each term that was read; None where there is none."""
    chips = [
        chip for index, reading in enumerate(answer.readings) if (chip := _chip(reading, exchange, index)) is not None
    ]
    if not chips:
        return None
    return element("div", *chips, class_="readings", role="group", aria_label=texts.READING_OF, data_key="readings")


def other_senses(reading: Reading) -> tuple[Sense, ...]:
    """Return the alternatives that differ from the reading's own sense, in their order."""
    own = (reading.sense.extended_name, reading.sense.context) if reading.sense is not None else None
    return tuple(each for each in reading.alternatives if (each.extended_name, each.context) != own)


def sense_button(sense: Sense, exchange: int, **place: int) -> Safe:
    """Render a meaning that can be chosen; ``place`` says to the server which one it is."""
    context = element("span", sense.context, class_="context") if sense.context else None
    description = element("span", sense.description, class_="description") if sense.description else None
    attributes = {f"data_{name}": value for name, value in place.items()}
    return element(
        "button",
        element("strong", sense.extended_name),
        context,
        description,
        type="button",
        class_="sense",
        data_action="option" if "reading" not in place else "sense",
        data_exchange=exchange,
        **attributes,
    )


def _chip(reading: Reading, exchange: int, index: int) -> Safe | None:
    mention = reading.mention
    key = f"chip-{index}"
    if reading.status == "documents" and (reading.sense is None or not other_senses(reading)):
        mined = f" {texts.AS} {reading.sense.extended_name} " if reading.sense is not None else " "
        text = (element("strong", mention.text), mined, element("span", texts.FROM_DOCUMENTS, class_="quiet"))
        return element("span", *text, class_="chip plain", data_key=key)
    sense = reading.sense
    if reading.status not in ("chosen", "documents") or sense is None:
        return None
    others = other_senses(reading)
    corrected = None
    if mention.corrected:
        arrow = element("span", "→", aria_hidden="true")
        corrected = element("span", element("s", mention.text), " ", arrow, " ", class_="corrected",
                            title=texts.CORRECTED)  # fmt: skip
    summary = element(
        "summary",
        element("span", texts.READ + " ", class_="quiet"),
        corrected,
        element("strong", mention.term or sense.term),
        element("span", f" {texts.AS} ", class_="quiet"),
        element("strong", sense.extended_name),
        element("span", sense.context, class_="context") if sense.context else None,
        element("span", texts.FROM_DOCUMENTS, class_="quiet") if reading.status == "documents" else None,
        element("span", texts.CHANGE if others else texts.ABOUT, class_="change"),
    )
    return element("details", summary, _menu(reading, sense, exchange, index), class_="chip", data_key=key)


def _menu(reading: Reading, sense: Sense, exchange: int, index: int) -> Safe:
    parts: list[Safe] = []
    if reading.mention.corrected:
        parts.append(element("p", texts.CORRECTED.capitalize() + f": {reading.mention.text} → {reading.mention.term}"))
    parts += [element("p", text) for text in (sense.description, sense.notes) if text]
    if reading.reason:
        parts.append(element("p", reading.reason, class_="quiet"))
    if sense.source:
        parts.append(element("p", texts.SOURCE.format(source=sense.source), class_="quiet"))
    others = other_senses(reading)
    if others:
        parts.append(element("p", texts.OTHER_MEANINGS, class_="lead"))
        parts += [sense_button(each, exchange, reading=index, option=place) for place, each in enumerate(others)]
    else:
        parts.append(element("p", texts.NO_OTHER_MEANING, class_="quiet"))
    return element("div", *parts, class_="menu")
