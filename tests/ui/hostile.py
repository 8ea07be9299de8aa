"""Hostile text, and a judge of whether HTML could run, load, navigate or restyle anything."""

from bs4 import BeautifulSoup

PAYLOADS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "[click](javascript:alert(1))",
    "[click](https://evil.example/?q=1)",
    "![track](https://evil.example/pixel.png)",
    "<https://evil.example>",
    "[ref]: https://evil.example\n[ref]",
    "</div></article></body><iframe src='https://evil.example'>",
    "```html\n<script>alert(1)</script>\n```",
    '```x"><script>alert(1)</script>\ncode\n```',
    "`<b onclick=alert(1)>`",
    "{{constructor.constructor('alert(1)')()}} ${alert(1)} @children",
    "\ue000\ue100 private \ue001 use",
    "a\x00b\x1b[31m\ud800",
    "| a | b |\n|---|---|\n| <script>x</script> | [y](javascript:z) |",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    'style="position:fixed;inset:0"',
    "\u202eevil\u202c",
)

_ELEMENTS = frozenset(
    """article blockquote br button code del details div em h1 h2 h3 h4 h5 h6 hr img li mark ol option p pre q s select
    span strong summary table tbody td th thead tr ul""".split()  # noqa: SIM905
)
_ATTRIBUTES = frozenset(
    """alt class dir disabled height role scope selected start tabindex title type value width""".split()  # noqa: SIM905
)


def assert_harmless(html: str) -> BeautifulSoup:
    """Parse ``html`` as a browser would and check every element and attribute."""
    soup = BeautifulSoup(html, "html.parser")
    for tag in soup.find_all(True):
        assert tag.name in _ELEMENTS, f"<{tag.name}> came through"
        for name, value in tag.attrs.items():
            if name == "src":
                assert str(value).startswith("data:image/"), f"{tag.name} loads {value}"
            elif name == "style":
                allowed = {"left", "top", "width", "height", "text-align"}
                assert {part.split(":")[0].strip() for part in str(value).split(";") if part} <= allowed
            else:
                assert name in _ATTRIBUTES or name.startswith(("data-", "aria-")), f"{tag.name} has {name}"
    return soup
