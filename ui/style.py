"""The pages' styles and scripts; the pages use system fonts and load nothing from other hosts."""

from pathlib import Path
from typing import Any

# In this order: later files may override earlier ones.
_STYLES = ("frame", "page_picture", "chat", "conversations_list", "dictionary", "documents", "overview", "review")
STATIC = Path(__file__).parent / "static"


def read_static(name: str) -> str:
    """Return a file of the folder ``static``."""
    return (STATIC / name).read_text(encoding="utf-8")


def read_styles() -> str:
    """Return the styles of all pages."""
    return "\n".join(read_static(f"{each}.css") for each in _STYLES)


def read_script(*names: str) -> str:
    """Return files of the folder ``static``, concatenated, as the script of a part of a page."""
    return "\n".join(map(read_static, names))


def scripts_of(page: str) -> tuple[str, ...]:
    """Return a page's own script, ``static/<page>.js``, if there is one."""
    name = f"{page}.js"
    return (name,) if (STATIC / name).is_file() else ()


def build_theme() -> Any:
    """Build the Gradio theme: golden accent, warm greys, the system's fonts."""
    import gradio as gr

    fonts = ["system-ui", "-apple-system", "Segoe UI", "Roboto", "Helvetica Neue", "Arial", "sans-serif"]
    mono = ["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace"]
    theme = gr.themes.Base(
        primary_hue=gr.themes.colors.amber,
        secondary_hue=gr.themes.colors.amber,
        neutral_hue=gr.themes.colors.stone,
        font=fonts,
        font_mono=mono,
    )
    return theme.set(body_background_fill="#fbfaf7", body_background_fill_dark="#171512")
