"""Test cases: their list, and the form in which one is made of a turn or changed."""

from collections.abc import Mapping, Sequence
from typing import Any

from contracts.case_runs import ReviewCase
from ui.html import Safe, element, link
from ui.review.answers import PathOf
from ui.words import Words

OUTCOMES = ("answered", "declined", "unknown_term", "clarify")


def sent_fields(fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a form, unchecked; what is empty is not expected."""
    page = fields.get("page", "").strip()
    return {
        "question": fields.get("question", "").strip(),
        "history": _lines(fields.get("history", "")),
        "expect": fields.get("expect", ""),
        "answer": fields.get("answer", "").strip(),
        "accept": _lines(fields.get("accept", "")),
        "document": fields.get("document", "").strip() or None,
        "page": (int(page) if page.isdecimal() and len(page) < 8 else page) if page else None,
        "term": fields.get("term", "").strip() or None,
        "sense": fields.get("sense", "").strip() or None,
        "context": fields.get("context", "").strip() or None,
    }


def render_form(fields: Mapping[str, Any], words: Words, *, title: str, action: str, **values: str) -> Safe:
    """Render the form of a test case; ``action`` is sent with ``values`` when it is saved."""
    options = [
        element("option", words(f"review.outcome.{each}"), value=each, selected=each == fields["expect"])
        for each in OUTCOMES
    ]
    data = {f"data_{name}": value for name, value in values.items()}
    return element(
        "section",
        element("h2", title, tabindex=-1, data_key="case-form"),
        _box(words("review.case.question"), "question", fields["question"], required=True),
        _box(words("review.case.history"), "history", "\n".join(fields["history"])),
        element("label", words("review.case.expect"), element("select", *options, name="expect")),
        _line(words("review.case.answer"), "answer", fields["answer"], class_="wide"),
        _box(words("review.case.accept"), "accept", "\n".join(fields["accept"])),
        element("fieldset", element("legend", words("review.case.cited")),
                _line(words("review.case.document"), "document", fields["document"] or ""),
                _line(words("review.case.page"), "page", str(fields["page"] or ""), inputmode="numeric")),
        element("fieldset", element("legend", words("review.case.read")),
                _line(words("review.case.term"), "term", fields["term"] or ""),
                _line(words("review.case.sense"), "sense", fields["sense"] or ""),
                _line(words("review.case.context"), "context", fields["context"] or "")),
        element("div",
                element("button", words("review.save"), type="button", class_="primary", data_action=action,
                        data_submit=True, **data),
                element("button", words("review.cancel"), type="button", data_action="cancel_form"), class_="row"),
        class_="card case-form", data_form=True, data_key="case-form-card",
    )  # fmt: skip


def render_cases(
    cases: Sequence[ReviewCase], words: Words, path: PathOf, *, form: Safe | None, opened: str = ""
) -> Safe:
    """Render the list of test cases; ``form`` stands in the place of the one that is ``opened``."""
    head = element("p", words("review.cases_lead"), class_="lead")
    if not cases:
        return element("div", head, element("p", words("review.no_cases"), class_="card"))
    tools = element(
        "div",
        element("button", words("review.run"), type="button", class_="primary", data_action="run",
                data_key="run"),
        link(words("review.export"), path("/api/review/cases/export"), class_="button-link", download="cases.jsonl"),
        class_="row",
    )  # fmt: skip
    rows = [form if form is not None and each.id == opened else _row(each, words) for each in cases]
    count = element("p", words.count("review.cases", len(cases)), class_="quiet")
    return element("div", head, tools, count, element("div", *rows, class_="case-list"))


def expected_line(fields: Mapping[str, Any], words: Words) -> str:
    """Write what a case expects."""
    expect = fields["expect"]
    name = f"review.outcome.{expect}"
    said = [words(name) if words.knows(name) else expect]
    said += [words("review.case.says", text=fields["answer"])] if fields["answer"] else []
    if fields["document"] and fields["page"]:
        said.append(words("review.page_of", title=fields["document"], page=fields["page"]))
    if fields["term"] and fields["sense"]:
        said.append(f"{fields['term']} = {fields['sense']}")
    return " · ".join(said)


def _row(case: ReviewCase, words: Words) -> Safe:
    of_turn = None
    if case.turn:
        of_turn = element("button", words("review.case.turn"), type="button", data_action="turn", data_turn=case.turn)
    return element(
        "article",
        element("h2", case.case["question"], dir="auto"),
        element("p", expected_line(case.case, words), dir="auto"),
        element("p", words("review.made_by", who=case.made_by or words("review.somebody"),
                           moment=words.moment(case.made_at)), class_="quiet"),
        element("div",
                element("button", words("review.edit"), type="button", data_action="edit", data_case=case.id,
                        data_key=f"edit-{case.id}",
                        aria_label=words("review.edit_of", question=case.case["question"][:80])),
                of_turn,
                element("button", words("review.remove"), type="button", class_="danger", data_action="remove",
                        data_case=case.id, data_confirm=words("review.remove_sure"),
                        aria_label=words("review.remove_of", question=case.case["question"][:80])), class_="row"),
        class_="card", data_key=case.id,
    )  # fmt: skip


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _line(text: str, name: str, value: str, *, class_: str | None = None, inputmode: str | None = None) -> Safe:
    field = element("input", name=name, value=value, autocomplete="off", inputmode=inputmode)
    return element("label", text, field, class_=class_)


def _box(text: str, name: str, value: str, *, required: bool = False) -> Safe:
    # A browser drops the first line break of a text area.
    shown = f"\n{value}" if value.startswith("\n") else value
    return element("label", text, element("textarea", shown, name=name, rows=2, required=required), class_="wide")
