"""Where a judgement came from."""

from pydantic import BaseModel


class Provenance(BaseModel, frozen=True):
    """Who judged: ``embedded``, ``llm`` or ``adapter``, which model and prompt version, how long it took.

    ``degraded`` is empty, or says why the implementation that was asked for did not answer.
    """

    implementation: str
    model: str = ""
    prompt_version: str = ""
    milliseconds: float = 0.0
    degraded: str = ""
