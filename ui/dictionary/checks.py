"""The tab of checks: what deserves a look, and which meanings askers chose."""

import asyncio
from collections.abc import Mapping

from contracts.dictionary import CorrectionEntry, Finding
from ui.dictionary import pieces
from ui.dictionary.tabs import TabAction, TabRequest
from ui.html import Safe, element, join
from ui.words import Words

_SHOWN = 200


class ChecksTab:
    """What deserves a look."""

    @property
    def actions(self) -> Mapping[str, TabAction]:
        """What can be asked of the tab: its buttons lead to other tabs."""
        return {}

    async def render(self, request: TabRequest, told: object) -> Safe:
        """Render what was found, kind by kind, and the corrections of readings."""
        words = request.words
        actor = await request.visit.actor("manage")
        findings, corrections = await asyncio.gather(
            request.dictionary.check(actor), request.call(request.dictionary.corrections, limit=_SHOWN)
        )
        kinds = tuple(dict.fromkeys(each.kind for each in findings))
        parts = [_kind(words, kind, [each for each in findings if each.kind == kind]) for kind in kinds]
        none = None if parts else element("p", words("dictionary.checks.none"), class_="card quiet")
        chosen = [_correction(words, each) for each in corrections]
        title = element("h2", words("dictionary.checks.corrections"))
        listed = element("ul", *chosen, class_="rows listing") if chosen else (
            element("p", words("dictionary.checks.no_corrections"), class_="card quiet"))  # fmt: skip
        return element("div", element("p", words("dictionary.checks.lead"), class_="lead"), none, *parts, title, listed)


def _kind(words: Words, kind: str, findings: list[Finding]) -> Safe:
    name = words(f"dictionary.finding.{kind}") if words.knows(f"dictionary.finding.{kind}") else kind
    items = [element("li", element("span", each.text), _senses(words, each), class_="finding")
             for each in findings[:_SHOWN]]  # fmt: skip
    left = None
    if len(findings) > _SHOWN:
        left = element("p", words.count("dictionary.candidates.further", len(findings) - _SHOWN), class_="quiet")
    title = element("h2", name, " ", element("span", words.number(len(findings)), class_="count"))
    return element("section", title, element("ul", *items, class_="rows listing"), left)


def _senses(words: Words, finding: Finding) -> Safe:
    shown = finding.senses[:10]
    buttons = [
        pieces.button(words("dictionary.checks.look", number=place) if len(shown) > 1 else
                      words("dictionary.checks.look_only"), "edit", data_id=number)
        for place, number in enumerate(shown, start=1)
    ]  # fmt: skip
    return element("span", *buttons, class_="does")


def _correction(words: Words, correction: CorrectionEntry) -> Safe:
    asked = element("p", element("q", correction.question), dir="auto") if correction.question else None
    said = words.count("dictionary.checks.chosen", correction.count, when=words.moment(correction.last_at),
                       who=pieces.who_said(words, correction.who))  # fmt: skip
    head = join([element("strong", correction.term), " ", correction.extended_name, " ",
                 pieces.context_chip(words, correction.context)])  # fmt: skip
    return element("li", head, asked, element("p", said, class_="quiet"), class_="finding")
