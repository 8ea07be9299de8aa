"""Sessions as they are known: everything of them but what the browser sends."""

from dataclasses import dataclass
from datetime import datetime

from contracts.keys import ApiKey, KeyScope


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session in force: of ``key``, or (None) of a person whom an identity provider named.

    ``account`` is who they are from one session to the next. ``scopes`` and ``groups`` (None: all) are what the
    provider's token said when the session began; a key says so itself. ``digest`` is the session's name here; what the
    browser sends is kept nowhere. Moments are in UTC; ``seen_at`` may lag behind by a minute.
    """

    digest: str
    account: str
    name: str
    scopes: frozenset[KeyScope]
    groups: frozenset[str] | None
    key: ApiKey | None
    began_at: datetime
    seen_at: datetime
    expires_at: datetime
