"""Write what is generated in the docs (the graph, the command line), or with --check say whether it has drifted."""

import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "results" / "embedded.json"
TABLE_BEGINS, TABLE_ENDS = (
    "<!-- intrinsics: generated from docs/results/embedded.json -->",
    "<!-- end of intrinsics -->",
)
sys.path.insert(0, str(ROOT))


def graph_document() -> str:
    """Return the bot's graph in Mermaid."""
    from agent.graph import draw_mermaid

    return draw_mermaid().rstrip() + "\n"


def cli_document(module: str, name: str) -> str:
    """Return the reference of a command line in Markdown."""
    command = [sys.executable, "-m", "typer", module, "utils", "docs", "--name", name]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "lab")])}
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return "\n".join(line.rstrip() for line in result.stdout.strip().splitlines()) + "\n"


def readme() -> str:
    """Return the README with the graph's picture as it is now."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = f"```mermaid\n{graph_document()}```"
    return re.sub(r"```mermaid\n.*?```", lambda _: block, text, count=1, flags=re.DOTALL)


def lab_page() -> str:
    """Return the page of the laboratory with the table of intrinsics as it is now."""
    text = (ROOT / "docs" / "benchmarks" / "index.md").read_text(encoding="utf-8")
    marked = f"{TABLE_BEGINS}\n{table_of_intrinsics()}{TABLE_ENDS}"
    pattern = f"{re.escape(TABLE_BEGINS)}\n.*?{re.escape(TABLE_ENDS)}"
    return re.sub(pattern, lambda _: marked, text, count=1, flags=re.DOTALL)


def table_of_intrinsics() -> str:
    """Return the table of intrinsics from the report in docs/results, or a line that there is none yet."""
    from evaluation.report.files import read_report
    from scripts.intrinsics_table import intrinsics_table

    if not RESULTS.is_file():
        return "No results yet: `make results DATA=FOLDER` measures them.\n"
    return intrinsics_table(read_report(RESULTS))


def main() -> int:
    """Write or check every document; return 1 when one has drifted."""
    check = "--check" in sys.argv[1:]
    drifted = []
    documents = {
        "docs/graph.mmd": graph_document,
        "docs/reference/cli.md": partial(cli_document, "golden_retriever.cli", "golden"),
        "docs/reference/lab-cli.md": partial(cli_document, "golden_lab.cli", "golden-lab"),
        "docs/benchmarks/index.md": lab_page,
        "README.md": readme,
    }
    for name, make in documents.items():
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
