"""The origin of a judgement."""

from pydantic import BaseModel


class Provenance(BaseModel, frozen=True):
    """What judged: ``embedded``, ``llm`` or ``adapter``, which model and prompt version, and how long it took.

    ``degraded`` is empty, or says why the requested implementation did not answer.
    """

    implementation: str
    model: str = ""
    prompt_version: str = ""
    milliseconds: float = 0.0
    degraded: str = ""
