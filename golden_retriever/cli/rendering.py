"""Answers and steps as text for a terminal."""

import shlex
import textwrap

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.text import Text

from agent.wording import fallback_notices
from contracts.answer import Answer, Step
from contracts.jargon import Reading

_STEPS = Console(stderr=True, highlight=False)
_OUT = Console(highlight=False, soft_wrap=True)


def print_step(step: Step) -> None:
    """Print one step on standard error: its name, duration in milliseconds, and finding."""
    name = step.node.replace("_", " ")
    _STEPS.print(f"[dim]· {name:<20} {step.milliseconds:6.0f} ms  {escape(step.finding)}[/dim]", soft_wrap=True)


def show_draft(draft: Text) -> Live:
    """Return a live display of a draft; ``refresh`` shows added text, and the display disappears when it is closed."""
    return Live(draft, console=_STEPS, transient=True, auto_refresh=False, vertical_overflow="visible")


def print_answer(answer: Answer) -> None:
    """Print an answer: the readings of the jargon, the text, the citations with file and page, and the certainty.

    Notices about steps in which the embedded engine replaced the language model come last.
    """
    for reading in answer.readings:
        if reading.status in ("chosen", "documents"):
            _OUT.print(f"[cyan]{escape(describe_reading(reading))}[/cyan]")
            if other := how_to_correct(reading):
                _OUT.print(f"[dim]  {escape(other)}[/dim]")
    _OUT.print(answer.text, markup=False)
    for citation in answer.citations:
        _OUT.print(f"\n[bold]\\[{citation.number}][/bold] {escape(citation.place)}")
        _OUT.print(textwrap.indent(citation.quote.strip(), "    "), markup=False)
    if answer.certainty is not None:
        _OUT.print(f"\n[dim]Certainty: {answer.certainty:.0%}[/dim]")
    for notice in fallback_notices(answer):
        _OUT.print(f"\n[yellow]{escape(notice)}[/yellow]")


def describe_reading(reading: Reading) -> str:
    """Return a reading in one line: ``Interpreted DLL as Delay-Locked Loop (Interfaces), because you chose it``."""
    sense = reading.sense
    if sense is None:
        return f"{reading.mention.text}: {reading.reason}"
    corrected = f" for {reading.mention.text}" if reading.mention.corrected else ""
    reason = f", {reading.reason}" if reading.reason else ""
    return f"Interpreted {sense.term}{corrected} as {sense.name_in_context}{reason}"


def how_to_correct(reading: Reading) -> str:
    """Return what else the term can mean and how to ask again with that meaning; "" if it has no other meaning."""
    if reading.sense is None or not reading.alternatives:
        return ""
    others = "; or ".join(each.name_in_context for each in reading.alternatives)
    choice = shlex.quote(f"{reading.mention.term}={reading.alternatives[0].extended_name}")
    return f"It can also mean {others}. Ask again with --meaning {choice}"
