"""Prompts: versioned TOML files next to the judges that use them."""

import re
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from contracts.errors import ConfigurationError
from tools.chat.base import ChatMessage
from tools.toml_files import read_toml

# {name} is a variable, and {{name}} is the literal text {name}; other braces, as in JSON examples, are literal.
_VARIABLE = re.compile(r"\{\{([a-z_][a-z0-9_]*)\}\}|\{([a-z_][a-z0-9_]*)\}")


class PromptExample(BaseModel):
    """A worked example: a user message and the reply that the model should give, verbatim."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    user: str = Field(min_length=1)
    assistant: str = Field(min_length=1)


class Prompt(BaseModel):
    """A prompt with a version. ``system`` and ``user`` are templates with ``{variables}``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: str = Field(min_length=1)
    description: str = Field(min_length=1)
    system: str = ""
    user: str = Field(min_length=1)
    examples: tuple[PromptExample, ...] = ()

    @property
    def variables(self) -> frozenset[str]:
        return frozenset(
            match.group(2) for match in _VARIABLE.finditer(f"{self.system}\n{self.user}") if match.group(2)
        )

    def messages(self, **variables: object) -> tuple[ChatMessage, ...]:
        """Fill in the templates: the system message (if there is one), the examples, then the user message.

        Values are inserted unchanged, so braces in them have no meaning. Unused variables are ignored.

        Raises:
            ConfigurationError: a variable of a template has no value; the message names all of them.
        """
        missing = sorted(self.variables - variables.keys())
        if missing:
            raise ConfigurationError(
                f"The prompt {self.description!r}, version {self.version}, names variables that have no value: "
                f"{', '.join(missing)}. It can have: {', '.join(sorted(variables)) or 'none'}."
            )
        system = _filled(self.system, variables).strip()
        found = [ChatMessage(role="system", content=system)] if system else []
        for example in self.examples:
            found.append(ChatMessage(role="user", content=example.user))
            found.append(ChatMessage(role="assistant", content=example.assistant))
        return (*found, ChatMessage(role="user", content=_filled(self.user, variables).strip()))


def load_prompt(path: Path) -> Prompt:
    """Read a prompt file. Raises the same errors as ``read_toml``."""
    return read_toml(path, Prompt, what="prompt")


def _filled(template: str, variables: dict[str, object]) -> str:
    def value(match: re.Match[str]) -> str:
        literal, name = match.groups()
        return f"{{{literal}}}" if literal else str(variables[name])

    return _VARIABLE.sub(value, template)
