"""The definition of an experiment: its arms, their cases, the scorer, and the pairs of arms to compare."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from contracts.errors import InvalidInput
from golden_lab.toml_files import TomlForm
from tools.prompts import Prompt, load_prompt

_STRICT = ConfigDict(extra="forbid", frozen=True)

# Special model names: the default model of the chat server, and the writer of the embedded engine.
BASE, EMBEDDED = "base", "embedded"


class Arm(BaseModel):
    """A model that answers, and its context.

    model: a name on the chat server, "base" (the server's default model) or "embedded" (no language model). context:
    "gold" (the passage with the answer), "retrieved" (the best ``passages`` passages that the library search finds for
    the question) or "given" (the context in the case). ``prompt`` is a file next to the experiment file, with the
    variables ``passage`` and ``question``; "" if the case contains the prompt or the model is "embedded".
    """

    model_config = _STRICT

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    title: str = ""
    model: str = Field(min_length=1)
    context: Literal["gold", "retrieved", "given"]
    passages: int = Field(3, ge=1, le=50)
    prompt: str = ""
    max_tokens: int = Field(600, ge=1)

    @property
    def label(self) -> str:
        """The name shown to people."""
        return self.title or self.name


class PublishedFigures(BaseModel):
    """A paper's results for an arm: ``values`` by metric. ``by`` is the scorer in the paper."""

    model_config = _STRICT

    arm: str
    by: str
    condition: str = ""
    values: dict[str, float]


class Experiment(TomlForm):
    """An experiment; ``source`` is the paper, and ``published_on`` describes how its data differ from ours.

    cases: "passage-questions" (each with the passage that answers it) or "conditions" (the prompts of the unified test
    set). scorer: "judge" (grades) or "trifex" (claims and their sources). pairs: the arms to compare, the first with
    the second.
    """

    folder: ClassVar[Path] = Path(__file__).parent
    what: ClassVar[str] = "experiment"

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    description: str = Field(min_length=1)
    source: str = Field(min_length=1)
    scorer: Literal["judge", "trifex"]
    cases: Literal["passage-questions", "conditions"]
    arms: tuple[Arm, ...] = Field(min_length=1)
    pairs: tuple[tuple[str, str], ...] = ()
    published: tuple[PublishedFigures, ...] = ()
    published_on: str = ""

    @property
    def searches(self) -> bool:
        """Whether an arm needs the library."""
        return any(arm.context == "retrieved" for arm in self.arms)

    def arm(self, name: str) -> Arm:
        """Return an arm by name."""
        return next(each for each in self.arms if each.name == name)

    def prompt_of(self, arm: Arm) -> Prompt | None:
        """Return the arm's prompt, or None if it has none.

        Raises:
            ConfigurationError: the file cannot be read or is not a prompt.
        """
        return load_prompt(self.path.parent / arm.prompt) if arm.prompt else None

    def with_models(self, models: Mapping[str, str]) -> "Experiment":
        """Return the experiment with different models for some arms, given by arm name.

        Raises:
            InvalidInput: there is no such arm, or it has no prompt for a language model.
        """
        self._refuse_strange(models, "model")
        arms = []
        for arm in self.arms:
            model = models.get(arm.name, arm.model)
            if model != EMBEDDED and arm.context != "given" and not arm.prompt:
                raise InvalidInput(f"the arm {arm.name} has no prompt for a language model: add one", field="model")
            arms.append(arm.model_copy(update={"model": model, "prompt": "" if model == EMBEDDED else arm.prompt}))
        return self.model_copy(update={"arms": tuple(arms)})

    def only(self, names: Sequence[str]) -> "Experiment":
        """Return the experiment with the arms ``names`` and the pairs among them; with all arms if ``names`` is empty.

        Raises:
            InvalidInput: there is no such arm.
        """
        self._refuse_strange(names, "arm")
        arms = tuple(arm for arm in self.arms if not names or arm.name in names)
        left = {arm.name for arm in arms}
        return self.model_copy(update={"arms": arms, "pairs": tuple(pair for pair in self.pairs if left >= {*pair})})

    def _refuse_strange(self, names: Iterable[str], field: str) -> None:
        strange = [name for name in names if name not in {arm.name for arm in self.arms}]
        if strange:
            known = ", ".join(arm.name for arm in self.arms)
            raise InvalidInput(f"there is no arm {strange[0]!r}: the arms are {known}", field=field)

    @model_validator(mode="after")
    def _holds_together(self) -> "Experiment":
        names = [arm.name for arm in self.arms]
        if len(set(names)) < len(names):
            raise ValueError("arms: two arms have the same name")
        for first, second in self.pairs:
            if first == second or not {first, second} <= set(names):
                raise ValueError(f"pairs: {first} and {second} are not two different arms")
        for arm in self.arms:
            given = arm.context == "given"
            if given != (self.cases == "conditions"):
                raise ValueError(f'arms: {arm.name}: the context "given" is required for conditions, invalid elsewhere')
            if (given or arm.model == EMBEDDED) == bool(arm.prompt):
                raise ValueError(f"arms: {arm.name}: a prompt is required, except for given contexts and embedded arms")
        return self
