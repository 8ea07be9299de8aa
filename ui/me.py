"""Who uses the pages, as the server says."""

from pydantic import BaseModel, ConfigDict

from ui.client import ApiSession


class Me(BaseModel):
    """Who asks, what they may do, and what the pages need to know of the server.

    ``groups`` are the document groups that they may read, None for all. ``asks_everyone``: people must log in.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str = ""
    account: str = ""
    scopes: tuple[str, ...] = ("ask",)
    groups: tuple[str, ...] | None = None
    department: str = ""
    asks_everyone: bool = False
    can_log_out: bool = False
    contact: str = ""
    departments: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    keeps_conversations: bool = True
    version: str = ""


async def read_me(session: ApiSession) -> Me:
    """Ask the server who asks.

    Raises:
        ApiProblem: it does not say.
    """
    return Me.model_validate(await session.get("/api/me"))
