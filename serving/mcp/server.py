"""The MCP server: lists and calls the tools, reads pages as resources, and offers a prompt, on any transport."""

import logging
from typing import TYPE_CHECKING, Any

from contracts.errors import GoldenError, NotFound
from serving.access import Actor, expect_scope
from serving.mcp.arguments import read_arguments
from serving.mcp.calls import Call, Reply
from serving.mcp.desk import ActorSource, DeskSource
from serving.mcp.pages import page_at
from serving.mcp.places import PAGE_TEMPLATE
from serving.mcp.tools import INSTRUCTIONS, TOOLS

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel.server import Server

_log = logging.getLogger(__name__)
_BROKEN = "Something broke inside the bot; its log has the details. Try again, or ask whoever runs it."
_PROMPT = "ask_the_documents"
_PROMPT_WORDS = (
    "Answer this question from the company's documents, with the tools of Golden Retriever. Call ask first, with the "
    "question as it stands: do not expand its abbreviations yourself. Give the answer with its citations, document and "
    "page. Say how the abbreviations were read. If the documents do not hold the answer, say so and what is missing, "
    "and do not answer from memory.\n\nQuestion: {question}"
)


def build_server(desk: DeskSource, actor: ActorSource, *, version: str) -> "Server[Any]":
    """Return the server.

    Initialising and listing need no desk, so that a client waits for nothing; the first call of a tool waits until
    ``desk`` brings it. ``actor`` is asked at each call.
    """
    from mcp.server.lowlevel.server import Server

    handlers = _Handlers(desk, actor)
    return Server(
        "golden-retriever",
        title="Golden Retriever",
        version=version,
        description="The help bot that speaks your company's jargon.",
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )


class _Handlers:
    """What answers each kind of request."""

    def __init__(self, desk: DeskSource, actor: ActorSource) -> None:
        self._desk = desk
        self._actor = actor
        self._tools = {each.name: each for each in TOOLS}

    async def list_tools(self, context: "ServerRequestContext[Any, Any]", params: Any) -> "types.ListToolsResult":
        import mcp_types as types

        return types.ListToolsResult(tools=[each.described() for each in TOOLS])

    async def call_tool(
        self, context: "ServerRequestContext[Any, Any]", params: "types.CallToolRequestParams"
    ) -> "types.CallToolResult | types.InputRequiredResult":
        import mcp_types as types

        tool = self._tools.get(params.name)
        if tool is None:
            raise _invalid(f"There is no tool {params.name[:60]!r}: there are {', '.join(self._tools)}.")
        try:
            actor = await self._let_in(context)
            given = read_arguments(tool.arguments, params.arguments or {})
            call = Call(desk=await self._desk(), actor=actor, context=context, params=params)
            reply = await tool.run(call, given)
        except GoldenError as error:
            return _failed(str(error))
        except Exception:
            _log.exception("the tool %s failed", tool.name)
            return _failed(_BROKEN)
        return reply if isinstance(reply, types.InputRequiredResult) else _result(reply)

    async def list_resources(
        self, context: "ServerRequestContext[Any, Any]", params: Any
    ) -> "types.ListResourcesResult":
        """List none: documents are found by searching, and a list of them all is of no use to an agent."""
        import mcp_types as types

        return types.ListResourcesResult(resources=[])

    async def list_templates(
        self, context: "ServerRequestContext[Any, Any]", params: Any
    ) -> "types.ListResourceTemplatesResult":
        import mcp_types as types

        page = types.ResourceTemplate(
            name="page",
            title="A page of a document",
            uri_template=PAGE_TEMPLATE,
            description="The text of one page, by the document_id and page of a citation.",
            mime_type="text/plain",
        )
        return types.ListResourceTemplatesResult(resource_templates=[page])

    async def read_resource(
        self, context: "ServerRequestContext[Any, Any]", params: "types.ReadResourceRequestParams"
    ) -> "types.ReadResourceResult":
        import mcp_types as types
        from mcp.shared.exceptions import MCPError

        try:
            actor = await self._let_in(context)
            page = await page_at((await self._desk()).pages, params.uri, actor)
        except NotFound as error:
            raise _invalid(str(error)) from None
        except GoldenError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from None
        except Exception:
            _log.exception("a page could not be read")
            raise MCPError(types.INTERNAL_ERROR, _BROKEN) from None
        contents = types.TextResourceContents(uri=params.uri, mime_type="text/plain", text=page.text)
        return types.ReadResourceResult(contents=[contents])

    async def list_prompts(self, context: "ServerRequestContext[Any, Any]", params: Any) -> "types.ListPromptsResult":
        import mcp_types as types

        prompt = types.Prompt(
            name=_PROMPT,
            title="Ask the company's documents",
            description="Answer a question from the company's documents, with citations, or say that they lack it.",
            arguments=[types.PromptArgument(name="question", title="Question", required=True)],
        )
        return types.ListPromptsResult(prompts=[prompt])

    async def get_prompt(
        self, context: "ServerRequestContext[Any, Any]", params: "types.GetPromptRequestParams"
    ) -> "types.GetPromptResult":
        import mcp_types as types

        if params.name != _PROMPT:
            raise _invalid(f"There is no prompt {params.name[:60]!r}: there is {_PROMPT}.")
        question = (params.arguments or {}).get("question", "").strip()
        if not question:
            raise _invalid("The prompt needs the argument question.")
        text = types.TextContent(text=_PROMPT_WORDS.format(question=question))
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])

    async def _let_in(self, context: "ServerRequestContext[Any, Any]") -> Actor:
        return expect_scope(await self._actor(context), "ask")


def _result(reply: Reply) -> "types.CallToolResult":
    import mcp_types as types

    links = [types.ResourceLink(name=name, uri=uri, mime_type="text/plain") for name, uri in reply.pages]
    return types.CallToolResult(
        content=[types.TextContent(text=reply.text), *links],
        structured_content=reply.value.model_dump(mode="json"),
    )


def _failed(message: str) -> "types.CallToolResult":
    import mcp_types as types

    return types.CallToolResult(content=[types.TextContent(text=message)], is_error=True)


def _invalid(message: str) -> Exception:
    import mcp_types as types
    from mcp.shared.exceptions import MCPError

    return MCPError(types.INVALID_PARAMS, message)
