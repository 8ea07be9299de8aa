"""Write the generated parts of the docs (the graph, the table of scores); with --check, only list outdated pages.

The reference pages are generated while the site is built: scripts/reference_pages.py.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "results" / "embedded.json"
sys.path.insert(0, str(ROOT))


def architecture_page(text: str) -> str:
    """Return the architecture page with the bot's current graph."""
    from agent.graph import build_graph

    return replace_part(text, "graph", f"```mermaid\n{build_graph().get_graph().draw_mermaid().rstrip()}\n```\n")


def benchmarks_page(text: str) -> str:
    """Return the benchmarks page with the scores from the report in docs/results."""
    from golden_lab.report.files import read_report
    from scripts.intrinsics_table import intrinsics_table

    return replace_part(text, "scores", intrinsics_table(read_report(RESULTS)))


def missing_files(text: str) -> list[str]:
    """Return the files that the page names in backticks and that do not exist."""
    return [path for path in re.findall(r"`([\w/]+/\w+\.py)`", text) if not (ROOT / path).is_file()]


def replace_part(text: str, name: str, part: str) -> str:
    """Return the text with the generated part between two markers replaced."""
    begin, end = f"<!-- generated: {name} -->\n", f"<!-- end of {name} -->"
    before, _, rest = text.partition(begin)
    return before + begin + part + end + rest.partition(end)[2]


PAGES = {"docs/architecture.md": architecture_page, "docs/benchmarks/index.md": benchmarks_page}


def main() -> int:
    """Write or check every page; return 1 if one is out of date or names a file that does not exist."""
    check = "--check" in sys.argv[1:]
    changed = []
    for name, update in PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        wanted = update(text)
        if text != wanted:
            changed.append(name)
            if not check:
                (ROOT / name).write_text(wanted, encoding="utf-8")
    for name in changed:
        sys.stdout.write(f"{name}: {'out of date: run `make generate`' if check else 'written'}\n")
    missing = missing_files((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))
    for path in missing:
        sys.stdout.write(f"docs/architecture.md: there is no {path}\n")
    return 1 if missing or (check and changed) else 0


if __name__ == "__main__":
    raise SystemExit(main())
