"""MkDocs hook: generate the reference of commands, settings and HTTP API from the code while the site is built."""

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from typer.cli import get_docs_for_click

METHODS = ("get", "post", "put", "patch", "delete")
API_INTRODUCTION = """# HTTP API

The server describes itself in OpenAPI at `/openapi.json`, with the shape of every reply. Errors are
`{"error": {"message", "type", "param", "code"}}` with the usual status codes.
[Access](../guides/access.md) explains scopes and keys,
[OpenAI clients](../guides/openai-clients.md) the fields of a chat completion.

"""
SETTINGS_INTRODUCTION = """# Settings

Set each of them as an environment variable, or in `golden.toml` in the current folder, in lower case and without the
prefix: `GOLDEN_TOP_K=6` becomes `top_k = 6`. `GOLDEN_CONFIG` names a different file. The environment overrides it.
`golden settings` prints the values in force, with secrets masked.

"""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put all decision records into the navigation, sorted by number."""
    records = sorted(Path(config.docs_dir, "decisions").glob("*.md"))
    config.nav.append({"Decisions": [f"decisions/{record.name}" for record in records]})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to the site."""
    import golden_lab.cli
    import golden_retriever.cli

    pages = {
        "reference/cli.md": cli_page(golden_retriever.cli.app, "golden"),
        "reference/lab-cli.md": cli_page(golden_lab.cli.app, "golden-lab"),
        "reference/settings.md": settings_page(),
        "reference/api.md": api_page(asyncio.run(openapi_document())),
    }
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def cli_page(app: typer.Typer, name: str) -> str:
    """Return the reference page of a command-line program."""
    command = typer.main.get_command(app)
    text = get_docs_for_click(obj=command, ctx=typer.Context(command), name=name)
    return "\n".join(line for line in text.splitlines() if "-completion`" not in line)


def settings_page() -> str:
    """Return all settings with their defaults, grouped by subject."""
    from pydantic import BaseModel, SecretStr

    from golden_retriever.settings import Settings

    lines = [SETTINGS_INTRODUCTION]
    for group in reversed([base for base in Settings.__bases__ if base.__module__.startswith("golden_retriever")]):
        assert issubclass(group, BaseModel)
        lines.append(f"## {(group.__doc__ or '').strip().rstrip('.')}\n")
        for name, field in group.model_fields.items():
            value = field.default.get_secret_value() if isinstance(field.default, SecretStr) else field.default
            default = (
                "none"
                if value in ("", None, (), {})
                else f"`{str(value).lower() if isinstance(value, bool) else value}`"
            )
            lines.append(f"`GOLDEN_{name.upper()}`\n:   {field.description} Default: {default}.\n")
    return "\n".join(lines)


async def openapi_document() -> dict[str, Any]:
    """Return the OpenAPI description of a server with an empty library."""
    from golden_retriever.settings import load_settings
    from golden_retriever.web import build_web_application
    from golden_retriever.wiring import open_application

    with tempfile.TemporaryDirectory() as folder:
        async with open_application(load_settings(data_dir=folder), one_shot=True) as application:
            return (await build_web_application(application, with_ui=False)).openapi()


def api_page(document: dict[str, Any]) -> str:
    """Return all operations of the API with their parameters and body fields, grouped by tag."""
    sections: dict[str, list[str]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if method in METHODS:
                text = "\n".join(operation_lines(document, f"{method.upper()} {path}", operation))
                tag = operation["tags"][0].capitalize().replace("Openai", "OpenAI")
                sections.setdefault(tag, []).append(text)
    return API_INTRODUCTION + "\n".join(f"## {tag}\n\n" + "\n".join(texts) for tag, texts in sections.items())


def operation_lines(document: dict[str, Any], name: str, operation: dict[str, Any]) -> Iterator[str]:
    """Yield the lines about one operation."""
    yield f"### `{name}`\n"
    yield f"{operation.get('description', operation['summary'])}\n"
    for each in operation.get("parameters", ()):
        yield field_line(each["name"], each["in"], each.get("description") or each["schema"].get("description", ""))
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = content["schema"]
        schema = document["components"]["schemas"].get(schema.get("$ref", "").rpartition("/")[2], schema)
        for field, about in schema.get("properties", {}).items():
            yield field_line(field, "body", about.get("description", ""))
    yield ""


def field_line(name: str, place: str, description: str) -> str:
    """Return one parameter as a list item."""
    return f"* `{name}` ({place})" + (f": {' '.join(description.split())}" if description else "")
