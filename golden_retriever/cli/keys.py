"""``golden keys``: the API keys with which programs and people use the server."""

from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from contracts.errors import InvalidInput

if TYPE_CHECKING:
    from contracts.keys import ApiKey

app = typer.Typer(help="API keys for the server: create, list, revoke.", no_args_is_help=True)


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(help="What the key is for, such as open-webui; histories show it.")],
    scope: Annotated[
        list[str] | None,
        typer.Option(
            help="What it may do (repeatable): ask questions (the default), manage documents and dictionary, admin."
        ),
    ] = None,
    group: Annotated[
        list[str] | None, typer.Option(help="A document group that it may read (repeatable); default: everyone.")
    ] = None,
    all_groups: Annotated[bool, typer.Option("--all-groups", help="It may read the documents of every group.")] = False,
    department: Annotated[str, typer.Option(help="The context in which its questions are asked.")] = "",
    expires: Annotated[
        str | None, typer.Option(metavar="DAYS|DATE", help="When it expires: 30d, or 2027-01-31 (at its end, in UTC).")
    ] = None,
) -> None:
    """Create a key and print it. It is shown only once.

    Only the key goes to standard output, so that KEY=$(golden keys create NAME) works.
    """
    from contracts.keys import EVERYONE
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_keys

    if group and all_groups:
        raise InvalidInput("Give --group or --all-groups, not both.", field="group")
    expires_at = _moment_of(expires) if expires is not None else None
    settings = load_settings()
    with open_keys(settings) as store:
        first = all(each.revoked_at is not None for each in store.records())
        key, record = store.create(
            name,
            scopes=scope or ("ask",),
            groups=None if all_groups else (group or EVERYONE),
            department=department,
            expires_at=expires_at,
            who=settings.effective_user,
        )
    typer.echo(key)
    _explain(record, first=first)


@app.command("list")
def list_(revoked: Annotated[bool, typer.Option("--revoked", help="Include revoked keys.")] = False) -> None:
    """List the keys: id, name, state, scopes, groups, expiry, last use (to the minute)."""
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_keys

    with open_keys(load_settings()) as store:
        records = [each for each in store.records() if revoked or each.revoked_at is None]
    if not records:
        typer.echo("no keys: the server listens on loopback only and requires none", err=True)
    for each in records:
        used = f"used {_shown(each.last_used_at)}" if each.last_used_at else "never used"
        expiry = f"expires {_shown(each.expires_at)}" if each.expires_at else "no expiry"
        what = f"{each.state}  {_scopes(each)}  groups {_groups(each)}"
        typer.echo(f"{each.id}  {each.name}  {what}  {expiry}  {used}")


@app.command("revoke")
def revoke(key: Annotated[str, typer.Argument(help="A key's name or id, as `golden keys list` shows them.")]) -> None:
    """Revoke a key permanently: a running server refuses it from the next request on."""
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_keys

    settings = load_settings()
    with open_keys(settings) as store:
        record = store.revoke(key, who=settings.effective_user)
        left = any(each.revoked_at is None for each in store.records())
    typer.echo(f"revoked {record.name} ({record.id})")
    if not left:
        typer.echo(
            "No key is left: a running server accepts no key. After its next start it listens on loopback "
            "only and requires no key (unless GOLDEN_OIDC_ISSUER or GOLDEN_PROXY_USER_HEADER is set).",
            err=True,
        )


def _explain(record: "ApiKey", *, first: bool) -> None:
    until = f"until {_shown(record.expires_at)}" if record.expires_at else "until it is revoked"
    typer.echo(
        f"This is the key {record.name!r} ({record.id}). It is shown only once. It may {_scopes(record)}, can read the "
        f"groups {_groups(record)}, and is valid {until}.",
        err=True,
    )
    if first:
        typer.echo(
            "It is the first key: from now on a running server requires a key for every request. After its next start "
            "it may listen beyond this machine.",
            err=True,
        )


def _moment_of(expiry: str) -> datetime:
    """Return the moment after a number of days ("30d"), or the end of a date in UTC.

    Raises:
        InvalidInput: it is neither.
    """
    text = expiry.strip().lower()
    try:
        if text.endswith("d"):
            return datetime.now(UTC) + timedelta(days=int(text[:-1]))
        return datetime.combine(date.fromisoformat(text), time.max, UTC)
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"--expires {expiry!r} is neither days such as 30d nor a date such as 2027-01-31.", field="expires"
        ) from None


def _scopes(record: "ApiKey") -> str:
    return ", ".join(sorted(record.scopes))


def _groups(record: "ApiKey") -> str:
    return "all" if record.groups is None else ", ".join(sorted(record.groups))


def _shown(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment is not None else "-"
