"""The SDK's server, with refusals in words that an agent can act on."""

import base64
import binascii
import logging
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.request_state import InvalidRequestState
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, InputRequiredResult, TextContent, Tool
from pydantic import ValidationError

from contracts.errors import GoldenError

_log = logging.getLogger(__name__)
_BROKEN = "Something broke inside the bot; its log has the details. Try again, or ask whoever runs it."


class PlainServer(MCPServer[Any]):
    """The SDK's server, with refusals in words that an agent can act on."""

    async def list_tools(self) -> list[Tool]:
        """Return the tools without the captions of fields: agents pay for every word of a schema."""
        listed = await super().list_tools()
        for each in listed:
            each.input_schema = _without_captions(each.input_schema) | {"additionalProperties": False}
            each.output_schema = _without_captions(each.output_schema)
        return listed

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; what it refuses is a result, and what breaks is logged and not told.

        Raises:
            MCPError: there is no such tool.
        """
        tools = {each.name: each.input_schema["properties"] for each in await super().list_tools()}
        if name not in tools:
            raise MCPError(INVALID_PARAMS, f"There is no tool {name[:60]!r}: there are {', '.join(tools)}.")
        strange = sorted(arguments.keys() - tools[name].keys())
        if strange:
            # Not read past, as the SDK does: whoever sends it means something by it.
            return _failed(f"{strange[0][:60]!r}: there is no such argument; there are {', '.join(tools[name])}.")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, GoldenError):
                return _failed(str(cause))
            if isinstance(cause, ValidationError):
                return _failed(" ".join(["The arguments cannot be used.", *_problems(cause)[:5]]))
            _log.error("the tool %s failed", name, exc_info=cause)
            return _failed(_BROKEN)


class OpenState:
    """Lets the client carry the options of a question back as they are: any of several processes may read them again.

    Whoever changes them on the way chooses a meaning by themselves, as they may.
    """

    def seal(self, payload: bytes) -> str:
        """Return ``payload`` as text for a URL."""
        return base64.urlsafe_b64encode(payload).decode()

    def unseal(self, token: str) -> bytes:
        """Reverse ``seal``."""
        try:
            return base64.urlsafe_b64decode(token)
        except (binascii.Error, ValueError) as error:
            raise InvalidRequestState("malformed") from error


def _failed(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=message)], is_error=True)


def _problems(error: ValidationError) -> list[str]:
    """Say what is wrong with each argument; the values are not repeated: they may be huge, or hold what no text may."""
    said = []
    for each in error.errors(include_url=False, include_input=False):
        name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in each["loc"]).lstrip(".")
        problem = "this argument is needed" if each["type"] == "missing" else each["msg"]
        said.append(f"{name}: {problem}.")
    return said


def _without_captions(schema: Any) -> Any:
    """Return a JSON schema without what only says again how a field or class is called."""
    if isinstance(schema, list):
        return [_without_captions(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _without_captions(each) for name, each in value.items()}
        if key in ("properties", "$defs")
        else _without_captions(value)
        for key, value in schema.items()
        if key != "title"
    }
