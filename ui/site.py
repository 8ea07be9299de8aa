"""Which pages there are, in the order of the bar."""

from ui.client import ApiClient
from ui.desks import Desk
from ui.dictionary import DictionaryPage
from ui.documents import DocumentsPage
from ui.frame import Frame, NavEntry
from ui.overview import OverviewPage
from ui.review import ReviewPage


def desks() -> tuple[Desk, ...]:
    """Return the pages beside the chat."""
    return (DictionaryPage(), DocumentsPage(), ReviewPage(), OverviewPage())


def build_frame(client: ApiClient, *, prefix: str = "") -> Frame:
    """Return the frame of all pages over one client of the API; ``prefix`` as of ``Frame``."""
    entries = [NavEntry(name="chat", path="/", scope="ask")]
    entries += [NavEntry(name=each.name, path=f"/{each.name}", scope=each.scope) for each in desks()]
    return Frame(client, prefix=prefix, entries=entries)
