"""Naming: which conversation a request belongs to, as chat front ends say it."""

import hashlib
import re
from collections.abc import Mapping

from library.records.values import MAX_CONVERSATION_ID_CHARACTERS
from serving.request_wire import CompletionRequest

# Open WebUI sends the first where ENABLE_FORWARD_USER_INFO_HEADERS is set; the second is the name that LibreChat's
# documentation gives to a header with {{LIBRECHAT_BODY_CONVERSATIONID}}.
CONVERSATION_HEADERS = ("x-openwebui-chat-id", "x-conversation-id")
METADATA_NAME = "conversation_id"
# An id stands in addresses, beside routes of other names.
_PLAIN = re.compile(rf"(?!export\Z)[\w.:~-]{{1,{MAX_CONVERSATION_ID_CHARACTERS}}}", re.ASCII)
_UNFILLED = re.compile(r"\{\{.*\}\}")


def conversation_named(body: CompletionRequest, headers: Mapping[str, str]) -> str:
    """Return the id of the conversation that a request names, "" where it names none.

    ``golden.conversation`` comes before ``metadata.conversation_id``, that before the front ends' headers. An id that
    cannot stand in an address is told by its digest.
    """
    given = [
        body.golden.conversation if body.golden else "",
        (body.metadata or {}).get(METADATA_NAME, ""),
        *(headers.get(name, "") for name in CONVERSATION_HEADERS),
    ]
    named = next((each.strip() for each in given if each.strip() and not _UNFILLED.fullmatch(each.strip())), "")
    return conversation_id_of(named)


def conversation_id_of(name: str) -> str:
    """Return the id of the conversation that somebody calls ``name``: its digest where it cannot stand in an address.

    "" stays "".
    """
    named = name.strip()
    if not named or (_PLAIN.fullmatch(named) and named not in (".", "..")):
        return named
    return hashlib.blake2b(named.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
