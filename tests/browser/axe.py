"""Checks a page as it stands by axe-core: labels, roles, contrast, headings, landmarks.

axe-core stands in the folder ``axe`` as its authors publish it, for the tests alone.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

_SOURCE = Path(__file__).parent / "axe" / "axe.min.js"
# What axe says only of a page that is judged for WCAG at AAA, or tries out: everything else counts.
_NOT_ASKED = ("wcag2aaa", "experimental")
_RUN = """async ({ inside, skipped }) => {
  const asked = axe.getRules().filter((rule) => !rule.tags.some((tag) => skipped.includes(tag)));
  const rules = asked.map((rule) => rule.ruleId);
  const options = { runOnly: { type: "rule", values: rules }, resultTypes: ["violations"] };
  const found = await axe.run(inside || document, options);
  return found.violations;
}"""


def expect_accessible(page: Page, inside: str = "", *, apart_from: tuple[str, ...] = ()) -> None:
    """Fail with what axe finds wrong on ``page`` as it stands, a readable line for each element.

    ``inside`` is a CSS selector of the only part that is looked at. ``apart_from`` names axe's rules that do not count;
    the caller says why. What moves should be at rest: a colour half way through a transition is judged as it is then.
    """
    if not page.evaluate("typeof window.axe === 'object'"):
        # By the debugger, not by a script element: the pages' policy refuses those.
        page.evaluate(f"() => {{ {_SOURCE.read_text(encoding='utf-8')}\n }}")
    _wait_until_still(page)
    violations: list[dict[str, Any]] = page.evaluate(_RUN, {"inside": inside, "skipped": list(_NOT_ASKED)})
    found = [line for each in violations if each["id"] not in apart_from for line in _lines(each)]
    assert not found, "\n".join(["axe finds:", *found])


def _wait_until_still(page: Page) -> None:
    page.wait_for_function(
        "() => document.getAnimations().every((each) => each.playState !== 'running' || "
        "each.effect.getComputedTiming().iterations === Infinity)"
    )


def _lines(found: dict[str, Any]) -> Iterator[str]:
    for node in found["nodes"]:
        target = " ".join(map(str, node["target"]))
        why = " ".join(node.get("failureSummary", "").split())
        yield f"{found['id']} ({found['impact']}): {target}: {why} | {node['html'][:160]}"
