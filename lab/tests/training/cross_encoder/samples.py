"""Training data of the cross-encoder in tests: invented data sets, a manual, and a tiny encoder with questions."""

import random
from pathlib import Path

from contracts.text import Span
from golden_lab.splits import part_of
from golden_lab.training.cross_encoder.examples import CrossEncoderExample
from lab.tests.benchmarks.annotated_sets import write_rows

TURNS = (("user", "Where do bells ring?"), ("agent", "They ring in a town."), ("user", "How long is it?"))
BUILDERS = ("Karl", "Anna", "Olga")
PARAGRAPH = (
    "The bridge of {0} was built in {1} by the engineer {3} Brandt. It is known for its {2} arches in all of Norland. "
    "However, the river below it was not deep, and more ships were lost there. Many people came to see it. "
    "The town council had asked for more money than Paul Weber was ready to give to them at that time."
)
MANUAL = """<html><head><title>Pump manual</title></head><body>
<nav>Home</nav>
<h1>1. Pump manual</h1>
<h2>Installing the pump</h2>
<p>Put the pump on a flat floor, connect the hose to the upper valve, and turn the handle until it clicks twice.</p>
<h2>What is the filter for?</h2>
<p>The filter keeps sand and small leaves away from the wheel, which would otherwise block in a few hours of work.</p>
<h2>Wheel settings</h2>
<p>All settings of the wheel lie in one file, and the program reads that file again whenever the wheel stands still.</p>
<dl>
<dt>speed_limit</dt><dd>How fast the wheel may turn at most, in turns each minute.</dd>
<dt>quiet_mode</dt><dd>Turns the wheel slowly at night, so that nobody is woken.</dd>
</dl>
<table><tr><th>Model</th><th>Voltage</th><th>Weight</th></tr>
<tr><td>P-100</td><td>about 12 V</td><td>about 3 kg</td></tr>
<tr><td>P-200</td><td>about 24 V</td><td>about 5 kg</td></tr>
<tr><td>P-300</td><td>about 48 V</td><td>about 9 kg</td></tr></table>
</body></html>"""


def groups(set_name: str, *, whole: bool = False) -> dict[str, str]:
    """Return the name of a group for each part."""
    return {part_of(set_name, name, whole=whole): name for name in (f"Town {number}" for number in range(400))}


def write_sets(folder: Path) -> Path:
    """Write SQuAD 1.1 train, SQuAD 2.0 dev and MT-RAG, each with one group per part."""
    titles = groups("squad2", whole=True).values()
    write_rows(folder / "squad2" / "train_v1.1_paragraphs.jsonl.gz", [
        {"title": title, "para": at, "context": PARAGRAPH.format(title, 1900 + at, at + 3, BUILDERS[at % 3]),
         "qas": [{"q": f"When did {BUILDERS[at % 3]} Brandt build it?", "a": [str(1900 + at)]}]}
        for title in titles for at in range(20)
    ])  # fmt: skip
    write_rows(folder / "squad2" / "dev_v2.0_half.jsonl.gz", [
        {"id": f"{title} {asked}", "title": title, "para": 0, "context": PARAGRAPH.format(title, 1900, 3, BUILDERS[0]),
         "question": f"When was the bridge {asked}?", "is_impossible": not answers, "answers": answers}
        for title in groups("squad2").values() for asked, answers in (("built", ["1900"]), ("sold", []))
    ])  # fmt: skip
    write_rows(folder / "mtrag" / "tasks.jsonl.gz", [
        {"task_id": f"{group}<::>1", "answerability": "ANSWERABLE", "rewrite_query": f"How long is {group}?",
         "target": "Long.", "input": [{"speaker": speaker, "text": text} for speaker, text in TURNS],
         "contexts": [{"title": "", "text": f"{group} is long.", "relevant": "yes"},
                                          {"title": "", "text": f"Bells ring in {group}.", "relevant": "no"}]}
        for group in groups("mtrag").values()
    ])  # fmt: skip
    return folder


def write_manual(folder: Path) -> Path:
    """Write a folder with a package that contains a manual, and the same manual in German."""
    for name in ("html/index.html", "html/de/index.html"):
        path = folder / "pump-doc" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(MANUAL, encoding="utf-8")
    return folder


THINGS = ("apple", "river", "engine", "teacher", "window", "garden")
_WORDS = ("where", "is", "the", "?", "here", "we", "see", "a", "of", "town", ".", "long", *THINGS)
WIDTH, LAYERS = 32, 2


def write_tiny_encoder(folder: Path) -> Path:
    """Write a model in the layout of sentence-transformers, the same at every call."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import BertConfig, BertModel

    folder.mkdir(parents=True)
    vocabulary = {word: at for at, word in enumerate(("[PAD]", "[UNK]", "[CLS]", "[SEP]", *_WORDS))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=4,
        intermediate_size=64, max_position_embeddings=256, initializer_range=0.1,
    )  # fmt: skip
    BertModel(config, add_pooling_layer=False).save_pretrained(str(folder))
    return folder


def toy_examples(count: int, seed: int = 3) -> list[CrossEncoderExample]:
    """Make examples whose text names what the question asks for; in every second one, something else."""
    rng = random.Random(seed)
    found = []
    for at in range(count):
        asked, answered = rng.choice(THINGS), at % 2 == 0
        shown = asked if answered else rng.choice([each for each in THINGS if each != asked])
        text = f"here we see the {shown} of the town."
        start = text.index(shown)
        found.append(
            CrossEncoderExample(
                question=f"where is the {asked}?",
                place="town",
                text=text,
                answered=answered,
                source="toy/right" if answered else "toy/other",
                span=Span(start, start + len(shown)) if answered else None,
            )
        )
    return found
