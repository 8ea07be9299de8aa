"""What the encoder learns from: parts of the sets that may be learnt from, and nothing that is scored."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import InvalidInput
from contracts.text import Span
from golden_lab.splits import part_of
from golden_lab.training.encoder.examples import EncoderData, PairExample, TagExample
from golden_lab.wiring.encoder_data import read_encoder_data, refuse_scored

# One sentence has the answer; the others are long enough to be cut off.
PARAGRAPH = (
    "The bridge of {0} was built in {1} by the engineer Karl Brandt. It is known for its {2} arches in all of Norland. "
    "However, the river below it was not deep, and more ships were lost there. Many people came to see it. "
    "The town council had asked for more money than Anna Weber was ready to give to them at that time."
)


def groups(set_name: str, *, whole: bool = False) -> dict[str, str]:
    """Return a name of a group for each part."""
    names = (f"Town {number}" for number in range(400))
    return {part_of(set_name, name, whole=whole): name for name in names}


def write(path: Path, rows: Iterator[dict[str, Any]] | list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(json.dumps(row) for row in rows).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write(folder / "squad2" / "train_v1.1_paragraphs.jsonl.gz", [
        {"title": title, "para": at, "context": PARAGRAPH.format(title, 1900 + at, at + 3),
         "qas": [{"q": f"When was the bridge of {title} built?", "a": [str(1900 + at)]}]}
        for title in groups("squad2", whole=True).values() for at in range(8)
    ])  # fmt: skip
    write(folder / "squad2" / "dev_v2.0_half.jsonl.gz", [
        {"id": part, "title": title, "para": 0, "question": f"Who drew {part}?", "context": "Karl drew it.",
         "answers": [], "is_impossible": True}
        for part, title in groups("squad2").items()
    ])  # fmt: skip
    write(folder / "mtrag" / "tasks.jsonl.gz", [
        {"task_id": f"{group}<::>1", "answerability": "ANSWERABLE", "rewrite_query": f"How long is {group}?",
         "target": "Long.", "contexts": [{"title": "", "text": f"{group} is long.", "relevant": "yes"},
                                          {"title": "", "text": "Bells ring.", "relevant": "no"}]}
        for group in groups("mtrag").values()
    ])  # fmt: skip
    write(folder / "wice" / "oracle_chunks_claim_dev.jsonl.gz", [
        {"meta": {"id": group, "claim_title": "Towns"}, "claim": f"{group} is old.", "label": "supported",
         "evidence": [f"{group} is very old."]}
        for group in groups("wice").values()
    ])  # fmt: skip
    for source in ("wow", "cmu", "tc"):
        write(folder / "begin" / f"begin_dev_{source}.jsonl.gz", [
            {"knowledge": group, "message": "Tell me", "response": label, "begin_label": label}
            for group in groups("begin").values() for label in ("Fully attributable", "Generic")
        ])  # fmt: skip
    write(folder / "expertqa" / "claims.jsonl.gz", [
        {"question": group, "claim": "It is old.", "support": "Complete", "evidence": ["It is old."]}
        for group in groups("expertqa").values()
    ])  # fmt: skip
    write(folder / "awsdocs" / "glossary.jsonl", [
        {"term": group, "abbrev": None, "see": None, "definition": "A place."} for group in groups("awsdocs").values()
    ])  # fmt: skip
    write(folder / "cncf_glossary" / "glossary.jsonl", [
        {"term": group, "definition": "A [place](/place/)."} for group in groups("cncf_glossary").values()
    ])  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def found(data: Path) -> EncoderData:
    return read_encoder_data(data, seed=1)


def test_every_group_is_of_the_part_it_is_used_in(found):
    for use, examples in (("train", found.train_pairs), ("dev", found.dev_pairs)):
        for each in examples:
            whole = each.source.startswith("squad2/train")
            assert part_of(each.source.split("/")[0], each.group, whole=whole) == use
    names = {each.source.split("/")[0] for each in found.train_pairs}
    assert names == {"squad2", "mtrag", "wice", "begin", "expertqa", "awsdocs", "cncf_glossary"}


def test_a_paragraph_without_its_answering_sentence_says_nothing_of_the_answer(found):
    absent = [each for each in found.train_pairs if each.source == "squad2/train/sentence_absent"]
    assert absent
    assert not [each for each in absent if "was built in" in each.second]
    assert all(dict(each.verdicts) == {"answerability": False} for each in absent)


def test_generic_replies_are_left_out_and_terms_are_where_they_are_said(found):
    assert not [each for each in found.train_pairs if each.first == "Generic"]
    for each in found.train_tags:
        for term in each.terms:
            assert each.text[term.start : term.end].startswith("Town")


def test_the_same_seed_makes_the_same_examples_and_names_what_was_read(data, found):
    assert read_encoder_data(data, seed=1) == found
    assert all(len(each.sha256) == 64 and each.licence for each in found.sources)


@pytest.mark.parametrize("use", ["train", "dev"])
def test_a_group_that_is_scored_is_refused(use):
    def pair(part: str) -> PairExample:
        return PairExample(
            first="a", second="b", verdicts=(("faithfulness", True),), source="wice/claims", group=groups("wice")[part]
        )

    rows = {each: (pair("score" if each == use else each),) for each in ("train", "dev")}
    data = EncoderData(train_pairs=rows["train"], dev_pairs=rows["dev"], train_tags=(), dev_tags=())
    with pytest.raises(InvalidInput, match="is of the part score, not"):
        refuse_scored(data)


def test_a_tagged_text_that_is_scored_is_refused_too():
    def pair(part: str) -> PairExample:
        return PairExample(
            first="a", second="b", verdicts=(("faithfulness", True),), source="wice/claims", group=groups("wice")[part]
        )

    tagged = TagExample(text="SSD", terms=(Span(0, 3),), source="awsdocs/questions", group=groups("awsdocs")["score"])
    data = EncoderData(train_pairs=(pair("train"),), dev_pairs=(pair("dev"),), train_tags=(tagged,), dev_tags=())
    with pytest.raises(InvalidInput, match="is of the part score, not train"):
        refuse_scored(data)
