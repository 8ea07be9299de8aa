"""What the small encoder learns from: the public sets' training and fit parts, as pairs and tagged texts.

Nothing of a half that is scored, nothing of a set whose licence does not allow weights to be passed on.
"""

import hashlib
import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from contracts.errors import InvalidInput
from evaluation.splits import part_of
from golden_lab.training.encoder.examples import DataSource, EncoderData, PairExample, TagExample, Use
from golden_lab.wiring.encoder_pairs import (
    SQUAD_DEV,
    SQUAD_TRAIN,
    begin_pairs,
    expertqa_pairs,
    mtrag_pairs,
    squad_claim_pairs,
    squad_dev_pairs,
    squad_question_pairs,
    wice_pairs,
)
from golden_lab.wiring.encoder_terms import term_examples

# File, licence of what is learnt from it, part used. Sets under a licence for non-commercial use are not here.
_FILES = (
    (SQUAD_TRAIN, "CC BY-SA 4.0", "training split: 75 % of the articles to learn, 10 % to stop by"),
    (SQUAD_DEV, "CC BY-SA 4.0", "a tenth of the fit half, to stop by; nothing is learnt from it"),
    ("mtrag/tasks.jsonl.gz", "Apache-2.0", "fit half: 75 % to learn, 10 % to stop by"),
    ("wice/oracle_chunks_claim_dev.jsonl.gz", "ODC-BY", "fit half: 75 % to learn, 10 % to stop by"),
    ("begin/begin_dev_wow.jsonl.gz", "CC BY 4.0", "fit half: 75 % to learn, 10 % to stop by"),
    ("begin/begin_dev_cmu.jsonl.gz", "CC BY 4.0", "fit half: 75 % to learn, 10 % to stop by"),
    ("begin/begin_dev_tc.jsonl.gz", "CDLA-Sharing-1.0", "fit half: 75 % to learn, 10 % to stop by"),
    ("expertqa/claims.jsonl.gz", "MIT", "fit half: 75 % to learn, 10 % to stop by"),
    ("awsdocs/glossary.jsonl", "CC BY-SA 4.0", "fit half: 75 % to learn, 10 % to stop by"),
    ("cncf_glossary/glossary.jsonl", "CC BY 4.0", "fit half: 75 % to learn, 10 % to stop by"),
)
# The name of each draws its examples: with another name the same seed makes other weights.
_PAIRS: Mapping[str, Callable[[Path, random.Random], Iterator[tuple[str, PairExample]]]] = {
    "squad_questions": squad_question_pairs,
    "squad_claims": squad_claim_pairs,
    "squad_dev": squad_dev_pairs,
    "mtrag": mtrag_pairs,
    "wice": wice_pairs,
    "begin": begin_pairs,
    "expertqa": expertqa_pairs,
}
# Of what dev parts hold, so many pairs of a source: enough to stop by, and measured often.
_DEV_PAIRS_A_SOURCE = 80

Example = TypeVar("Example", PairExample, TagExample)


def read_encoder_data(data: Path, *, seed: int) -> EncoderData:
    """Read the data sets below the folder ``data`` and make examples of them.

    Raises:
        InvalidInput: a file is not there or not of its form, or a group that is scored got in; the text names it.
    """
    pairs: dict[str, list[PairExample]] = {"train": [], "dev": []}
    for name, pairs_of in _PAIRS.items():
        for part, example in pairs_of(data, random.Random(f"{seed} _{name}")):
            if part in pairs:
                pairs[part].append(example)
    terms = term_examples(data, random.Random(f"{seed} terms"))
    for part, asked in terms.pairs:
        if part in pairs:
            pairs[part].append(asked)
    tags: dict[str, list[TagExample]] = {"train": [], "dev": []}
    for part, tagged in terms.tags:
        if part in tags:
            tags[part].append(tagged)
    found = EncoderData(
        train_pairs=tuple(pairs["train"]),
        dev_pairs=_some_of_each(pairs["dev"], random.Random(seed)),
        train_tags=tuple(tags["train"]),
        dev_tags=_some_of_each(tags["dev"], random.Random(seed)),
        sources=tuple(_source(data, file, licence, part) for file, licence, part in _FILES),
    )
    refuse_scored(found)
    return found


def refuse_scored(data: EncoderData) -> None:
    """Hold every group of ``data`` against the parts once more.

    Raises:
        InvalidInput: a group is of a half that is scored, or of another part than it is used in; the text names it.
    """
    uses: tuple[tuple[Use, tuple[PairExample | TagExample, ...]], ...] = (
        ("train", (*data.train_pairs, *data.train_tags)),
        ("dev", (*data.dev_pairs, *data.dev_tags)),
    )
    for use, examples in uses:
        for each in examples:
            set_name = each.source.split("/", maxsplit=1)[0]
            whole = each.source.startswith(_WHOLE)
            if (part := part_of(set_name, each.group, whole=whole)) != use:
                raise InvalidInput(f"The group {each.group!r} of {each.source} is of the part {part}, not {use}.")


# Of SQuAD 1.1 train nothing is scored; its articles are others than those of dev.
_WHOLE = "squad2/train"


def _some_of_each(examples: list[Example], rng: random.Random) -> tuple[Example, ...]:
    by_source: dict[str, list[Example]] = {}
    for each in examples:
        by_source.setdefault(each.source, []).append(each)
    return tuple(each for rows in by_source.values() for each in rng.sample(rows, min(_DEV_PAIRS_A_SOURCE, len(rows))))


def _source(data: Path, file: str, licence: str, part: str) -> DataSource:
    with (data / file).open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return DataSource(file=file, sha256=digest, licence=licence, part=part)
