"""Where one writes: the field, its buttons, the department."""

from collections.abc import Sequence

from ui.html import Safe, button, element
from ui.words import Words

MAX_TYPED_CHARACTERS = 100_000


def render_composer(departments: Sequence[str], chosen: str, words: Words) -> Safe:
    """Render the composer; its script sends what is typed, shows which button is meant, and grows the field."""
    field = element(
        "textarea",
        id="question",
        name="question",
        rows=1,
        maxlength=MAX_TYPED_CHARACTERS,
        aria_label=words("chat.question"),
        aria_describedby="question-keys",
        placeholder=words("chat.placeholder"),
        autocomplete="off",
        data_key="question",
    )
    send = button("send", words("chat.send"), class_="send", data_key="send")
    stop = button("stop", words("chat.stop"), class_="stop", hidden=True, data_key="stop")
    new = button("new", words("chat.new"), class_="tool")
    keys = element("span", words("chat.keys"), class_="keys", id="question-keys")
    below = element("div", _department(departments, chosen, words), new, keys, class_="below")
    return element("div", element("div", field, send, stop, class_="field"), below, class_="composer",
                   data_reading=words("chat.reading"), data_you=words("chat.you"))  # fmt: skip


def _department(names: Sequence[str], chosen: str, words: Words) -> Safe | None:
    if not names:
        return None
    options = [element("option", words("chat.any_department"), value="")]
    options += [element("option", name, value=name, selected=name == chosen) for name in names]
    label = words("chat.department")
    return element("select", *options, aria_label=label, class_="department", data_choice="department",
                   data_key="department")  # fmt: skip
