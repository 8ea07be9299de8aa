"""Choices: the options of a multiple-choice question."""

import re

from contracts.question import Choice

_LABEL = re.compile(r"(?:(?<=\s)|^|(?<=[?.:;]))\(?(?P<label>[A-Ha-h]|[1-9])[.)]\s*(?=\S)")


def split_choices(question: str) -> tuple[str, tuple[Choice, ...]]:
    """Separate a question from its options ("… ? a) 1.8 V b) 1.5 V"), if it has any: at least two, labelled a, b, … or
    1, 2, …; any other text is left in the question.
    """
    matches = list(_LABEL.finditer(question))
    for first in range(len(matches)):
        run = _run_from(matches, first)
        if len(run) >= 2:
            stem = question[: run[0].start()].strip()
            ends = [match.start() for match in run[1:]] + [len(question)]
            texts = [question[match.end() : end].strip(" \n\t;,") for match, end in zip(run, ends, strict=True)]
            if stem and all(texts):
                labels = [match.group("label") for match in run]
                return stem, tuple(Choice(label=a, text=b) for a, b in zip(labels, texts, strict=True))
    return question, ()


def _run_from(matches: list[re.Match[str]], first: int) -> list[re.Match[str]]:
    label = matches[first].group("label")
    if label not in "aA1":
        return []
    run = [matches[first]]
    for match in matches[first + 1 :]:
        if ord(match.group("label")) == ord(run[-1].group("label")) + 1:
            run.append(match)
    return run
