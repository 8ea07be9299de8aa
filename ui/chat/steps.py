"""The steps of an answer: folded, with the one under way in sight."""

from ui.chat.conversation import Exchange
from ui.html import Safe, element
from ui.words import Words


def render_steps(exchange: Exchange, words: Words) -> Safe | None:
    """Render the steps with their findings and times; None where there are none."""
    if not exchange.steps and exchange.finished:
        return None
    rows = [
        element(
            "li",
            element("span", step_name(step.node, words), class_="step-name"),
            element("span", step.finding, class_="finding"),
            element("span", words.seconds(step.milliseconds), class_="time"),
            title=_engine(step.implementation, words),
        )
        for step in exchange.steps
    ]
    rows += [
        element("li", element("span", step_name(node, words), class_="step-name"), class_="now")
        for node in exchange.running
    ]
    spinner = None if exchange.finished else element("span", class_="spinner", aria_hidden="true")
    summary = element("summary", element("span", progress(exchange, words), class_="progress"), spinner)
    name = "steps" if exchange.finished else "steps working"
    return element("details", summary, element("ol", *rows), class_=name, data_key="steps")


def step_name(node: str, words: Words) -> str:
    """Return a node's name in words; an unknown node's own name with its underscores gone."""
    name = f"chat.step.{node}"
    return words(name) if words.knows(name) else node.replace("_", " ").capitalize()


def progress(exchange: Exchange, words: Words) -> str:
    """Say in a line how far it is."""
    if not exchange.finished:
        if not exchange.running:
            return words("chat.working" if exchange.steps else "chat.reading")
        return f"{step_name(exchange.running[-1], words)}…"
    steps = words.count("chat.steps.count", len(exchange.steps))
    if exchange.answer is None:
        return words("chat.steps.stopped", steps=steps)
    # Some steps run side by side: their sum would be more than the person waited.
    return words("chat.steps.done", steps=steps, duration=words.seconds(exchange.took_s * 1_000))


def _engine(implementation: str, words: Words) -> str | None:
    name = f"chat.engine.{implementation}"
    return words(name) if words.knows(name) else None
