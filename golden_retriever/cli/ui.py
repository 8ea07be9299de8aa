"""``golden ui``."""

from typing import Annotated

import typer

_PORT = 7861


def ui(
    server: Annotated[str, typer.Option(help="The address of a running golden serve, with its path prefix if any.")],
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0: any free one.", min=0, max=65535)] = _PORT,
) -> None:
    """Serve the chat and the desks alone, as a client of a server elsewhere: people log in as they do there."""
    import uvicorn

    from golden_retriever.alone.address import server_address
    from golden_retriever.alone.application import build_pages_alone
    from golden_retriever.logs import start_logging
    from golden_retriever.server import claim_port
    from golden_retriever.settings import load_settings
    from serving.access import is_loopback

    settings = load_settings(host=host, port=port)
    start_logging(settings)
    hosts = frozenset(each.strip().lower() for each in settings.trusted_hosts.split(",") if each.strip())
    address = server_address(server)
    listener = claim_port(host, port)
    web = build_pages_alone(address, hosts=hosts, beyond_loopback=not is_loopback(host))
    shown = f"[{host}]" if ":" in host else host
    typer.echo(f"\n  Chat      http://{shown}:{listener.getsockname()[1]}/   (a client of {address})")
    typer.echo("  Stop with Ctrl+C\n")
    config = uvicorn.Config(web, log_config=None, access_log=False, proxy_headers=False, timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[listener])
