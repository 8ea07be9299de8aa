"""Triplets from a file: passages with their questions, or plain queries with reference and context."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from contracts.errors import InvalidInput
from golden_lab.json_lines import read_forms, read_json_lines
from golden_lab.training.data.passages import read_passage_questions
from golden_lab.training.data.values import Triplet


class TripletLine(BaseModel):
    """A plain triplet, one line: ``id`` may be left out, and then the line's number is its name.

    What has one ``source``, such as a document, stays together when data is held out; "": it stands alone.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = ""
    query: str = Field(min_length=1)
    reference: str = Field(min_length=1)
    context: str = Field(min_length=1)
    source: str = ""


def read_triplets(path: Path) -> tuple[Triplet, ...]:
    """Read a file of passages with their questions (as golden-lab train data writes it) or of plain triplets.

    Raises:
        InvalidInput: it is not there or empty, or a line is wrong; the text names file, line and field.
    """
    first = next(read_json_lines(path, where="make one with golden-lab train data"), None)
    if first is None:
        raise InvalidInput(f"{path} holds no line", field="path")
    if "passage" in first[1]:
        return tuple(each.triplet for each in read_passage_questions(path))
    lines = enumerate(read_forms(path, TripletLine), start=1)
    return tuple(
        Triplet(
            id=each.id or f"line-{number:06}",
            query=each.query,
            reference=each.reference,
            context=each.context,
            source=each.source,
        )
        for number, each in lines
    )
