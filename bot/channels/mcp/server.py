"""The protocol around the tools: official SDK, stdio and streamable HTTP.

Over stdio nothing else may be printed to standard output: logs go to the error stream. Mistakes come back as one line
that an assistant can act on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from inspect import Signature, get_annotations, signature
from typing import TYPE_CHECKING, Final, cast

from pydantic import RootModel, ValidationError

from advisor.errors import AdvisorError
from bot.channels.mcp.tools import TOOLS, Respond, asking
from bot.channels.web.callers import Listed
from bot.channels.web.limits import Bounded, Bounds
from bot.computing import Computing, Overran

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context, MCPServer
    from mcp.types import CallToolResult, InputRequiredResult
    from starlette.applications import Starlette

_NAME: Final = "xuanka"
_INSTRUCTIONS: Final = (
    "Which GPU to use for machine learning: memory, speed, time, cost, prices, comparisons, recommendations. "
    "Every figure is computed or on record and comes with its source and day: quote them instead of estimating."
)
_PATH: Final = "/mcp"


def build(respond: Respond, version: str) -> MCPServer:
    """A server with all tools.

    Args:
        respond: answers a question in words.
        version: of the program.

    Raises:
        ModuleNotFoundError: the extra `mcp` is not installed.
    """
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import ToolAnnotations

    class Server(MCPServer):
        """The kit's, but for arguments of the wrong form, which are told in one line."""

        async def call_tool(
            self, name: str, arguments: dict[str, object], context: Context[object] | None = None
        ) -> CallToolResult | InputRequiredResult:
            try:
                return await super().call_tool(name, arguments, context)
            except ToolError as error:
                if isinstance(error.__cause__, ValidationError):
                    raise ToolError(_wrong(name, error.__cause__)) from None
                raise

    computing = Computing()
    server = Server(_NAME, version=version, instructions=_INSTRUCTIONS, log_level="WARNING")
    kind = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    for tool in (*TOOLS, asking(respond)):
        title = tool.__name__.replace("_", " ").capitalize()
        server.tool(title=title, annotations=kind)(_told(tool, computing))
    return server


def _wrong(name: str, error: ValidationError) -> str:
    """What of the arguments is wrong, one after the other."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    return f"{name}: " + "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in found)


def _told(tool: Callable[..., object], computing: Computing) -> Callable[..., Awaitable[RootModel[object]]]:
    """The tool with a result whose schema the protocol can tell, and mistakes as one line instead of a stack.

    It is worked out beside the event loop, with the same deadline as every other answer.
    """
    from mcp.server.mcpserver.exceptions import ToolError

    annotations = get_annotations(tool, eval_str=True)
    # the result's own fields make the schema; its slots hide them from the kit, a root model shows them
    kind = cast("type[RootModel[object]]", RootModel.__class_getitem__(annotations["return"]))

    @wraps(tool)
    async def call(*given: object, **named: object) -> RootModel[object]:
        try:
            return kind(await computing.run(lambda: tool(*given, **named)))
        except Overran:
            raise ToolError("this takes too long, ask for less") from None
        except (AdvisorError, TypeError) as error:
            raise ToolError(str(error)) from None

    parameters = [one.replace(annotation=annotations[one.name]) for one in signature(tool).parameters.values()]
    call.__dict__["__signature__"] = Signature(parameters, return_annotation=kind)
    call.__annotations__ = {**annotations, "return": kind}
    return call


def http_app(
    server: MCPServer,
    hosts: list[str],
    origins: list[str],
    bounds: Bounds | None = None,
    keys: Mapping[str, str] | None = None,
    lets_in: Callable[[str], bool] = lambda _: True,
) -> Starlette:
    """The server as a web application at /mcp; requests for other hosts or from other origins are refused.

    What one address may ask and send a minute, and for how long, is bounded as it is for strangers of the API.

    Args:
        server: from `build`.
        hosts: names, with ports, by which it is reached beside the local ones.
        origins: pages that may call it from a browser.
        bounds: of what is taken.
        keys: name -> key of callers who are known; they send it as `Authorization: Bearer KEY`.
        lets_in: whether a caller of a name ("" without a key) may ask.
    """
    from mcp.server.transport_security import TransportSecuritySettings

    local = ["127.0.0.1:*", "localhost:*", "[::1]:*"]
    fence = TransportSecuritySettings(
        enable_dns_rebinding_protection=True, allowed_hosts=[*local, *hosts], allowed_origins=origins
    )
    app: Starlette = server.streamable_http_app(
        streamable_http_path=_PATH, stateless_http=True, json_response=True, transport_security=fence
    )
    app.add_middleware(Listed, keys=keys or {}, lets_in=lets_in)
    app.add_middleware(Bounded, bounds=bounds or Bounds())
    return app
