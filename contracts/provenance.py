"""The origin of a judgement."""

from pydantic import BaseModel


class Provenance(BaseModel, frozen=True):
    """What judged: the implementation (``embedded``, ``llm`` or ``adapter``), model, prompt version and duration.

    ``degraded`` is empty, or the reason why the requested implementation did not answer.
    """

    implementation: str
    model: str = ""
    prompt_version: str = ""
    milliseconds: float = 0.0
    degraded: str = ""
