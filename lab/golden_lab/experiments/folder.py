"""The folder of an experiment: what its answers belong to, and the files beside them."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.errors import InvalidInput
from evaluation.revision import revision
from golden_lab.experiments.cases import ExperimentCases
from golden_lab.experiments.form import Experiment
from golden_lab.outcomes import OutcomeStore

_ANSWERS = "answers"
_FORM = 1


@dataclass(frozen=True, slots=True)
class ExperimentFolder:
    """The files below ``root``: ``asked.json``, ``answers/``, ``scores/`` and the report."""

    root: Path

    @property
    def asked(self) -> Path:
        """What the answers belong to (JSON)."""
        return self.root / "asked.json"

    @property
    def outcomes(self) -> OutcomeStore:
        """Answers and scores, JSON lines, each stored as soon as it is there."""
        return OutcomeStore(self.root)

    def claim(self, identity: Mapping[str, Any]) -> str:
        """Take the folder for answers of ``identity``; return the revision that the first of them were asked with.

        Raises:
            InvalidInput: it holds answers to something else; the text names what differs.
        """
        if not self.asked.exists():
            self.root.mkdir(parents=True, exist_ok=True)
            content = {"form": _FORM, "revision": revision(), **identity}
            waiting = self.asked.with_name(".asked.json.part")
            waiting.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            waiting.replace(self.asked)
            return str(content["revision"])
        try:
            kept = json.loads(self.asked.read_text(encoding="utf-8"))
            before = str(kept.pop("revision"))
        except (ValueError, KeyError, AttributeError, UnicodeDecodeError) as error:
            raise InvalidInput(f"{self.asked} cannot be read ({error!r}): name another folder", field="out") from error
        wanted = dict(_flat({"form": _FORM, **json.loads(json.dumps(identity))}))
        found = dict(_flat(kept))
        changed = sorted(name for name in {*wanted, *found} if wanted.get(name) != found.get(name))
        if changed:
            listed = ", ".join(changed[:4]) + (", …" if len(changed) > 4 else "")
            raise InvalidInput(
                f"{self.root} holds answers to something else; what differs: {listed}. Name another folder.",
                field="out",
            )
        return before


def identity_of(
    experiment: Experiment, cases: ExperimentCases, models: Mapping[str, str], *, library: str = ""
) -> dict[str, Any]:
    """Return what answers depend on besides case and seed: arms, models, prompts, the cases' file, the library.

    How they are scored is no part of it: they may be scored anew. Nor is how many cases are drawn.
    """
    arms = {}
    for arm in experiment.arms:
        prompt = experiment.prompt_of(arm)
        arms[arm.name] = {
            "model": models[arm.name],
            "context": arm.context,
            "passages": arm.passages if arm.searches else 0,
            "prompt": short_digest(prompt.model_dump_json()) if prompt is not None else "",
            "max_tokens": arm.max_tokens,
        }
    return {
        "experiment": experiment.name,
        "arms": arms,
        "temperature": experiment.temperature,
        "cases": cases.sha256,
        "library": library if any(arm.searches for arm in experiment.arms) else "",
    }


def short_digest(text: str) -> str:
    """Return twelve hexadecimal digits that stand for ``text``."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if not isinstance(value, Mapping):
        yield name, value
        return
    for key, each in value.items():
        yield from _flat(each, f"{name}.{key}" if name else str(key))
