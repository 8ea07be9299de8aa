import gzip
import json
from pathlib import Path

import numpy as np

from golden_lab.calibration.reading import FittingCase, accuracy, build_cases, fit_weights, read_articles
from tools.embedding.hashing import HashingEmbedder
from tools.reading.features import FEATURE_NAMES

CITIES = ("Aldern", "Borvik", "Castra", "Dunmere", "Elsted", "Farrow")


def paragraph(number: int, city: str) -> dict[str, object]:
    return {
        "title": "Rivers",
        "context": f"{city} lies on a river. The bridge of {city} was built in {1800 + number}. Many people visit it.",
        "qas": [{"q": f"When was the bridge of {city} built?", "a": [str(1800 + number)]}],
    }


def random_case(generator: np.random.Generator, telling: int) -> FittingCase:
    features = generator.normal(size=(6, len(FEATURE_NAMES)))
    answers = np.zeros(6, dtype=np.bool_)
    answers[int(np.argmax(features[:, telling]))] = True
    return FittingCase(features=features, answers=answers, in_gold=np.ones(6, dtype=np.bool_))


def test_the_feature_that_tells_gets_the_weight() -> None:
    generator = np.random.default_rng(5)
    telling = FEATURE_NAMES.index("coverage")
    fitted = [random_case(generator, telling) for _ in range(60)]
    held = [random_case(generator, telling) for _ in range(60)]
    weights = fit_weights(fitted)
    assert int(np.argmax(np.abs(weights))) == telling
    assert accuracy(held, weights, gold_only=False) > 0.8 > accuracy(held, -weights, gold_only=False)


def test_paragraphs_are_read_in_their_order_up_to_the_number_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "squad.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(paragraph(number, city)) + "\n" for number, city in enumerate(CITIES))
    articles = read_articles(path, count=1, paragraphs=4, seed=1)
    assert [each["context"].split()[0] for each in articles["Rivers"]] == list(CITIES[:4])


async def test_a_case_marks_the_answering_sentence() -> None:
    articles = {"Rivers": [paragraph(number, city) for number, city in enumerate(CITIES)]}
    cases = await build_cases(articles, HashingEmbedder(), per_article=len(CITIES), seed=1)
    assert len(cases) == len(CITIES)
    for case in cases:
        assert case.features.shape == (len(case.answers), len(FEATURE_NAMES))
        assert case.answers.sum() == 1
        assert case.in_gold[case.answers].all()
