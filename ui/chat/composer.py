"""Where one writes: the field, its buttons, the department."""

from collections.abc import Sequence

from ui.html import Safe, element
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
    send = element("button", words("chat.send"), type="button", class_="send", data_action="send", data_key="send")
    stop = element("button", words("chat.stop"), type="button", class_="stop", data_action="stop", hidden=True,
                   data_key="stop")  # fmt: skip
    new = element("button", words("chat.new"), type="button", class_="tool", data_action="new")
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
