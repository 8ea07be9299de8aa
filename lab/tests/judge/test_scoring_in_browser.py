"""The scoring desk in a real browser over a real file: what a person does, and what the file then holds."""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path

import pytest
from fastapi import FastAPI
from playwright.sync_api import BrowserContext, Page, Route, expect

from contracts.grading import GoldItem
from golden_lab.judge.gold import GoldFile, read_gold, write_gold
from golden_lab.judge.rubrics import load_rubrics
from golden_lab.judge.scoring_page import build_scoring_ui, mount_scoring

# Minutes in a real browser: make test MARKS=slow, and CI.
pytestmark = [pytest.mark.browser, pytest.mark.slow]
HOSTILE = "<img src=x onerror='window.hacked=1'> ${window.hacked=1} {{hacked}} <script>window.hacked=1</script>"
ITEMS = (
    GoldItem(
        id="1/secret-model",
        question="How many clock cycles does the DLL need to lock?",
        passage="The DLL needs 512 clock cycles to lock.\nIts input clock must be stable before.",
        answer="It needs 512 clock cycles.",
        system="secret-model",
    ),
    GoldItem(id="2/secret-model", question=HOSTILE, passage=HOSTILE, answer=HOSTILE, system="secret-model"),
    GoldItem(
        id="3/secret-model", question="And the PLL?", passage="", answer="", system="secret-model",
        relevance=1, faithfulness=5, completeness=1, explanation="It says nothing.",
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gold") / "gold.csv"


@pytest.fixture(scope="module")
def address(gold: Path, serve_application: Callable[..., AbstractContextManager[str]]) -> Iterator[str]:
    write_gold(gold, ITEMS)
    file = GoldFile(gold)

    @asynccontextmanager
    async def open_web() -> AsyncIterator[FastAPI]:
        web = FastAPI()
        mount_scoring(web, build_scoring_ui(file.items, file.put, load_rubrics(), name=gold.name))
        yield web

    with serve_application(open_web) as served:
        yield served


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.goto("/")
    expect(opened.locator(".item")).to_be_visible()
    yield opened
    assert not problems


def choose(page: Page, criterion: str, grade: int) -> None:
    page.locator(f"#{criterion}").get_by_label(f"{grade} · ").check()


def poll(page: Page, holds: Callable[[], bool], most_s: float = 60) -> None:
    end = time.monotonic() + most_s
    while not holds():
        assert time.monotonic() < end
        page.wait_for_timeout(50)  # lets the routes be served, which a sleep does not


def test_a_person_scores_and_each_score_is_in_the_file_at_once(page: Page, gold: Path) -> None:
    expect(page.locator(".count")).to_have_text("Answer 1 of 3 · 1 scored")
    expect(page.locator("#faithfulness")).to_contain_text("Does the passage say what the answer says?")
    choose(page, "relevance", 5)
    expect(page.locator(".state")).to_have_text("Saved")
    assert read_gold(gold)[0].relevance == 5
    assert read_gold(gold)[0].faithfulness is None
    choose(page, "faithfulness", 4)
    choose(page, "completeness", 3)
    expect(page.locator(".count")).to_have_text("Answer 1 of 3 · 2 scored")
    page.locator("#explanation textarea").fill("It leaves out, “that” the clock\nmust be stable.")
    page.get_by_role("button", name="Next unscored").click()
    expect(page.locator(".count")).to_have_text("Answer 2 of 3 · 2 scored")
    first, *others = read_gold(gold)
    assert (first.relevance, first.faithfulness, first.completeness) == (5, 4, 3)
    assert first.explanation == "It leaves out, “that” the clock\nmust be stable."
    assert tuple(others) == ITEMS[1:]
    expect(page.locator("#relevance input:checked")).to_have_count(0)


def test_a_save_that_comes_late_does_not_take_the_person_back(page: Page, gold: Path) -> None:
    expect(page.locator(".count")).to_contain_text("Answer 2 of 3")
    held: list[Route] = []
    # The explanation's save goes out first, and arrives behind the move that follows it.
    page.route("**/queue/join*", lambda route: route.fallback() if held else held.append(route))
    page.locator("#explanation textarea").fill("Written before the move.")
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.locator(".count")).to_contain_text("Answer 3 of 3")
    page.evaluate(
        """() => {
            window.counts = [];
            const progress = document.querySelector("#progress");
            new MutationObserver(() => window.counts.push(progress.querySelector(".count")?.textContent))
                .observe(progress, {childList: true, subtree: true, characterData: true});
        }"""
    )
    with page.expect_response("**/queue/join*"):
        held[0].continue_()
    # One after the other: when this score is saved, what was held is too, and shown.
    choose(page, "completeness", 2)
    poll(page, lambda: read_gold(gold)[2].completeness == 2)
    choose(page, "completeness", 1)
    poll(page, lambda: read_gold(gold)[2].completeness == 1)
    assert not [count for count in page.evaluate("window.counts") if "Answer 2" in (count or "")]
    assert read_gold(gold)[1].explanation == "Written before the move."
    page.get_by_role("button", name="Previous").click()
    expect(page.locator("#explanation textarea")).to_have_value("Written before the move.")


def test_hostile_texts_do_not_run_and_the_system_stays_hidden(page: Page) -> None:
    expect(page.locator(".count")).to_contain_text("Answer 2 of 3")
    expect(page.locator(".asked-of p")).to_have_text(HOSTILE)
    expect(page.locator(".answered .text")).to_have_text(HOSTILE)
    assert page.evaluate("window.hacked") is None
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.locator(".answered")).to_contain_text("The answer is empty.")
    expect(page.locator("#completeness input:checked")).to_have_count(1)
    expect(page.locator("#explanation textarea")).to_have_value("It says nothing.")
    page.get_by_role("button", name="Previous").click()
    expect(page.locator(".count")).to_contain_text("Answer 2 of 3")
    assert "secret-model" not in page.content()


def test_a_file_changed_meanwhile_is_not_written_over(page: Page, gold: Path) -> None:
    expect(page.locator(".count")).to_contain_text("Answer 2 of 3")
    changed = (*read_gold(gold)[:2], GoldItem(id="3", question="Another?", answer="", passage=""))
    write_gold(gold, changed)
    choose(page, "relevance", 2)
    expect(page.locator(".state")).to_have_text("Not saved")
    expect(page.get_by_text("changed since")).to_be_visible()
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.locator(".count")).to_contain_text("Answer 2 of 3")
    assert read_gold(gold) == changed


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_runs_out_of_a_narrow_window(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
