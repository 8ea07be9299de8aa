"""The page's looks and its script: system fonts, nothing from another host."""

from pathlib import Path
from typing import Any

STATIC = Path(__file__).parent / "static"


def read_static(name: str) -> str:
    """Return a file of the folder ``static``."""
    return (STATIC / name).read_text(encoding="utf-8")


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
