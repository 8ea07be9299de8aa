"""The reading of the jargon as chips, each of which opens to its description and its other meanings."""

from contracts.answer import Answer
from contracts.jargon import Reading, Sense
from ui.html import Safe, button, element
from ui.words import Words


def render_readings(answer: Answer, exchange: int, words: Words) -> Safe | None:
    """Render a chip for each term that was read; None where there is none."""
    made = (_chip(reading, exchange, index, words) for index, reading in enumerate(answer.readings))
    chips = [chip for chip in made if chip is not None]
    if not chips:
        return None
    of = words("chat.readings.of")
    return element("div", *chips, class_="readings", role="group", aria_label=of, data_key="readings")


def other_senses(reading: Reading) -> tuple[Sense, ...]:
    """Return the alternatives that differ from the reading's own sense, in their order."""
    own = (reading.sense.extended_name, reading.sense.context) if reading.sense is not None else None
    return tuple(each for each in reading.alternatives if (each.extended_name, each.context) != own)


def sense_button(sense: Sense, exchange: int, **place: int) -> Safe:
    """Render a meaning that can be chosen; ``place`` says to the server which one it is."""
    context = element("span", sense.context, class_="context") if sense.context else None
    description = element("span", sense.description, class_="description") if sense.description else None
    attributes = {f"data_{name}": value for name, value in place.items()}
    return button(
        "option" if "reading" not in place else "sense",
        element("strong", sense.extended_name),
        context,
        description,
        class_="sense",
        data_exchange=exchange,
        **attributes,
    )


def _chip(reading: Reading, exchange: int, index: int, words: Words) -> Safe | None:
    sense = reading.sense
    if reading.status not in ("chosen", "documents") or (sense is None and reading.status == "chosen"):
        return None
    mined = element("span", words("chat.readings.from_documents"), class_="quiet")
    corrected = None
    if reading.corrected:
        arrow = element("span", "→", aria_hidden="true")
        corrected = element("span", element("s", reading.text), " ", arrow, " ", class_="corrected")
    said = [] if sense is None else [
        element("span", f" {words('chat.readings.as')} ", class_="quiet"), element("strong", sense.extended_name),
    ]  # fmt: skip
    changeable = bool(other_senses(reading)) or sense is not None
    summary = element(
        "summary",
        element("span", words("chat.readings.read") + " ", class_="quiet"),
        corrected,
        element("strong", reading.term or reading.text),
        *said,
        element("span", sense.context, class_="context") if sense is not None and sense.context else None,
        mined if reading.status == "documents" else None,
        element("span", words(f"chat.readings.{'change' if changeable else 'about'}"), class_="change"),
    )
    menu = _menu(reading, exchange, index, words)
    return element("details", summary, menu, class_="chip", data_key=f"chip-{index}")


def _menu(reading: Reading, exchange: int, index: int, words: Words) -> Safe:
    sense, term = reading.sense, reading.term or reading.text
    parts: list[Safe] = []
    if reading.corrected:
        parts.append(element("p", words("chat.readings.corrected", text=reading.text, term=reading.term)))
    if sense is not None:
        parts += [element("p", text) for text in (sense.description, sense.notes) if text]
    if reading.reason:
        parts.append(element("p", reading.reason, class_="quiet"))
    if sense is not None and sense.source:
        parts.append(element("p", words("chat.readings.source", source=sense.source), class_="quiet"))
    if others := other_senses(reading):
        parts.append(element("p", words("chat.readings.others"), class_="lead"))
        parts += [sense_button(each, exchange, reading=index, option=place) for place, each in enumerate(others)]
    elif sense is not None and reading.status == "chosen":
        parts.append(element("p", words("chat.readings.no_other"), class_="quiet"))
    field = element("input", name="meaning", type="text", maxlength=200, autocomplete="off", data_key="meaning")
    send = button(
        "own",
        words("chat.readings.else_send"),
        class_="own",
        data_exchange=exchange,
        data_reading=index,
        data_submit=True,
    )
    label = element("label", element("span", words("chat.readings.else", term=term)), field)
    return element("div", *parts, element("div", label, send, class_="else", data_form=True), class_="menu")
