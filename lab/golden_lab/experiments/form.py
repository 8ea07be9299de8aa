"""The form of an experiment: its arms, what they are asked, what scores them, and which is expected to win."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, model_validator

from contracts.errors import InvalidInput
from golden_lab.judge.grades import CRITERIA
from golden_lab.toml_files import find_toml, toml_names
from tools.prompts import Prompt, load_prompt
from tools.toml_files import read_toml

_STRICT = ConfigDict(extra="forbid", frozen=True)
_FOLDER = Path(__file__).parent

# Names that stand for no model of the chat server: its default one, and the embedded engine's writer.
BASE, EMBEDDED = "base", "embedded"
WEIGHTED = "weighted"
# What each scorer's comparisons may be about.
METRICS: Mapping[str, tuple[str, ...]] = {
    "judge": (WEIGHTED, *CRITERIA),
    "trifex": (
        "f1", "precision", "recall", "self_knowledge", "parametric_knowledge_precision", "parametric_rate",
        "context_utilisation", "user_utilisation",
    ),
}  # fmt: skip


class ExperimentCases(BaseModel):
    """What every arm is asked.

    form: "passage-questions", each with the passage that answers it; "quiz", whose passages are those of the library's
    pages that hold the answer; "conditions", the prompts of the unified test set. ``file`` is beside the experiment's
    file; "" where it is given when the experiment is run.
    """

    model_config = _STRICT

    form: Literal["passage-questions", "quiz", "conditions"]
    file: str = ""


class Arm(BaseModel):
    """Who answers, and from what.

    model: a name on the chat server, "base" (the server's default model) or "embedded" (no language model).
    context: "gold", the passages that hold the answer; "retrieved", the ``passages`` best that the library's search
    finds for the question; "graph", those that the bot's own steps end up with; "given", what the case brings with it;
    "none". ``prompt`` is a file beside the experiment's with the variables ``passage`` and ``question``; "" where the
    case brings its prompt, and for "embedded", which has none.
    """

    model_config = _STRICT

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    title: str = ""
    model: str = Field(min_length=1)
    context: Literal["gold", "retrieved", "graph", "given", "none"]
    passages: int = Field(3, ge=1, le=50)
    prompt: str = ""
    max_tokens: int = Field(600, ge=1)

    @property
    def label(self) -> str:
        """What people read of it."""
        return self.title or self.name

    @property
    def searches(self) -> bool:
        """Whether it needs the library."""
        return self.context in ("retrieved", "graph")


class Hypothesis(BaseModel):
    """That one arm is better than another: under one ``condition``, where there are several, and by one ``metric``."""

    model_config = _STRICT

    better: str
    worse: str
    because: str = ""
    condition: str = ""
    metric: str = ""


class PublishedFigures(BaseModel):
    """What a paper found for an arm: ``values`` by metric. ``by`` says who or what scored there."""

    model_config = _STRICT

    arm: str
    by: str
    condition: str = ""
    values: dict[str, float]


class Experiment(BaseModel):
    """An experiment.

    ``source`` names the paper; ``published_on`` says in what its figures differ from ours. With ``baseline`` every
    other arm is compared with that one. ``judged_on`` says what the judge sees: "all", the passages that hold the
    answer and what any arm read for the case, the same for each arm; "gold", the first alone; "read", its own.
    Answers are greedy at temperature 0, and one seed is enough then.
    """

    model_config = _STRICT

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    description: str = Field(min_length=1)
    source: str = Field(min_length=1)
    scorer: Literal["judge", "trifex"]
    judged_on: Literal["all", "gold", "read"] = "all"
    cases: ExperimentCases
    arms: tuple[Arm, ...] = Field(min_length=1)
    baseline: str = ""
    hypotheses: tuple[Hypothesis, ...] = ()
    published: tuple[PublishedFigures, ...] = ()
    published_on: str = ""
    temperature: float = Field(0.0, ge=0, le=2)
    seeds: tuple[int, ...] = Field((0,), min_length=1)
    _path: Path = PrivateAttr(_FOLDER / "experiment.toml")

    @property
    def path(self) -> Path:
        """The file that it was read from."""
        return self._path

    @property
    def main_metric(self) -> str:
        """What a comparison is about where it does not say."""
        return METRICS[self.scorer][0]

    @property
    def metrics(self) -> tuple[str, ...]:
        """What its answers are scored by."""
        return METRICS[self.scorer]

    def arm(self, name: str) -> Arm:
        """Return an arm by name."""
        return next(each for each in self.arms if each.name == name)

    def prompt_of(self, arm: Arm) -> Prompt | None:
        """Return the arm's prompt, None where it has none.

        Raises:
            ConfigurationError: the file cannot be read or is no prompt.
        """
        return load_prompt(self._path.parent / arm.prompt) if arm.prompt else None

    def with_models(self, models: Mapping[str, str]) -> "Experiment":
        """Return the experiment with other models for some arms, by the arms' names.

        Raises:
            InvalidInput: there is no such arm, or it has no prompt for a language model.
        """
        for name in models:
            if name not in {arm.name for arm in self.arms}:
                known = ", ".join(arm.name for arm in self.arms)
                raise InvalidInput(f"there is no arm {name!r}: the arms are {known}", field="model")
        arms = tuple(arm.model_copy(update={"model": models.get(arm.name, arm.model)}) for arm in self.arms)
        for arm in arms:
            if arm.model != EMBEDDED and arm.context != "given" and not arm.prompt:
                raise InvalidInput(f"the arm {arm.name} has no prompt for a language model: name a file", field="model")
        changed = self.model_copy(update={"arms": tuple(_without_prompt(arm) for arm in arms)})
        changed._path = self._path
        return changed

    @model_validator(mode="after")
    def _holds_together(self) -> "Experiment":
        names = [arm.name for arm in self.arms]
        twice = next((name for name, count in Counter(names).items() if count > 1), None)
        if twice is not None:
            raise ValueError(f"arms: {twice} stands twice")
        for each in self.hypotheses:
            strangers = {each.better, each.worse} - set(names)
            if strangers or each.better == each.worse:
                raise ValueError(f"hypotheses: {each.better} over {each.worse} names no two arms of it")
            if each.metric and each.metric not in METRICS[self.scorer]:
                raise ValueError(f"hypotheses: {each.metric} is none of {', '.join(METRICS[self.scorer])}")
        if self.baseline and self.baseline not in names:
            raise ValueError(f"baseline: {self.baseline} is no arm")
        if len(set(self.seeds)) < len(self.seeds):
            raise ValueError("seeds: one stands twice")
        if len(self.seeds) > 1 and not self.temperature:
            raise ValueError("seeds: at temperature 0 every seed gives the same answer, keep one")
        if len(self.seeds) > 1 and self.scorer == "trifex":
            raise ValueError("seeds: claims are pooled over cases, keep one seed")
        for arm in self.arms:
            _check_context(arm, self.cases.form)
        return self


def _check_context(arm: Arm, form: str) -> None:
    if (arm.context == "given") != (form == "conditions"):
        raise ValueError(f'arms: {arm.name} has the context "{arm.context}", the cases are {form}: "given" goes with '
                         "conditions, and with nothing else")  # fmt: skip
    if (arm.context == "given" or arm.model == EMBEDDED) == bool(arm.prompt):
        raise ValueError(f"arms: {arm.name}: a prompt is needed, except where the case brings it or nothing is asked")


def _without_prompt(arm: Arm) -> Arm:
    return arm.model_copy(update={"prompt": ""}) if arm.model == EMBEDDED else arm


def load_experiment(path: Path) -> Experiment:
    """Read an experiment.

    Raises:
        ConfigurationError: it cannot be read, is no TOML, lacks a key or has an unknown one; the text names it.
    """
    experiment = read_toml(path, Experiment, what="experiment")
    experiment._path = path
    return experiment


def experiment_names() -> tuple[str, ...]:
    """Return the names of the shipped experiments."""
    return toml_names(_FOLDER)


def find_experiment(name: str) -> Experiment:
    """Return a shipped experiment by name, or the one in the file that ``name`` is the path of.

    Raises:
        InvalidInput: there is neither; the text lists the shipped ones.
        ConfigurationError: the file is no experiment.
    """
    return load_experiment(find_toml(name, _FOLDER, what="experiment"))
