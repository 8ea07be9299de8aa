"""What people do in the chat's page."""

from playwright.sync_api import Page, expect


def ask(page: Page, question: str) -> None:
    """Send a question."""
    box = page.get_by_label("Your question")
    box.fill(question)
    box.press("Enter")


def ask_to_the_end(page: Page, question: str) -> None:
    """Send a question, and wait until its answer is whole."""
    ask(page, question)
    expect(page.locator("#live .question-text")).to_have_text(question)
    expect(page.locator("#live .state[data-busy=false]")).to_be_attached(timeout=120_000)
