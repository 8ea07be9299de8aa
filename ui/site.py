"""Which pages there are, in the order of the bar."""

from serving.access import Guard
from serving.rate_limits import RequestLimits
from ui.dictionary.page import DictionaryPage
from ui.documents.page import DocumentsPage
from ui.frame import Frame, NavEntry
from ui.overview.page import OverviewPage
from ui.pages import Page
from ui.review.page import ReviewPage
from ui.services import Services


def pages() -> tuple[Page, ...]:
    """Return the pages beside the chat."""
    return (DictionaryPage(), DocumentsPage(), ReviewPage(), OverviewPage())


def build_frame(services: Services, guard: Guard, *, limits: RequestLimits | None, prefix: str = "") -> Frame:
    """Return the frame of all pages; the arguments are those of ``Frame``."""
    entries = [NavEntry(name="chat", path="/", scope="ask")]
    entries += [NavEntry(name=each.name, path=f"/{each.name}", scope=each.scope) for each in pages()]
    return Frame(services, guard, limits=limits, prefix=prefix, entries=entries)
