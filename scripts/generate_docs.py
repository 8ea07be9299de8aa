"""Write what is generated in the docs (the graph, the command line), or with --check say whether it has drifted."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


def graph_document() -> str:
    """Return the bot's graph in Mermaid."""
    from agent.graph import draw_mermaid

    return draw_mermaid().rstrip() + "\n"


def cli_document() -> str:
    """Return the command line's reference in Markdown."""
    command = [sys.executable, "-m", "typer", "golden_retriever.cli", "utils", "docs", "--name", "golden"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return "\n".join(line.rstrip() for line in result.stdout.strip().splitlines()) + "\n"


def readme() -> str:
    """Return the README with the graph's picture as it is now."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = f"```mermaid\n{graph_document()}```"
    return re.sub(r"```mermaid\n.*?```", lambda _: block, text, count=1, flags=re.DOTALL)


def main() -> int:
    """Write or check every document; return 1 when one has drifted."""
    check = "--check" in sys.argv[1:]
    drifted = []
    for name, make in (("docs/graph.mmd", graph_document), ("docs/cli.md", cli_document), ("README.md", readme)):
        path, wanted = ROOT / name, make()
        if path.is_file() and path.read_text(encoding="utf-8") == wanted:
            continue
        drifted.append(name)
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted, encoding="utf-8")
    for name in drifted:
        sys.stdout.write(f"{name}: {'has drifted: run `make docs`' if check else 'written'}\n")
    return 1 if check and drifted else 0


if __name__ == "__main__":
    raise SystemExit(main())
