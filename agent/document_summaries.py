"""Summaries of documents: recognises a request for one, finds the document, and chooses sentences from its summaries.

Ingestion stores a summary of each section; a request is answered from the stored summaries of one document.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from rapidfuzz import fuzz

from contracts.text import Chunk, Document, Passage
from tools.language import STOP_WORDS, content_stems, find_piece, fold, split_sentences, stem
from tools.search.passages import passage_of

_LEAD = (
    r"(?:(?:hi|hello|hey|hallo|please|bitte|ok|okay|so|thanks|danke)\b[\s,.!]*)*"
    r"(?:(?:can|could|would|will) you\s+|i(?: want| need| would like|'d like)\s+(?:you to\s+)?)?"
    r"(?:(?:kannst du|können sie)\s+)?(?:please\s+|bitte\s+)?(?:briefly\s+|quickly\s+)?"
)
_TAIL = (
    r"(?:[\s,]+(?:please|for me|briefly|in short|in brief|bitte|kurz"
    r"|in (?:(?:a|an|one|two|three|four|five|\d+|few|short|some|ein|paar|wenigen)\s+)*"
    r"(?:words?|sentences?|lines?|paragraphs?|bullets?|bullet points?|points|sätzen?|worten?|stichpunkten?)))*[\s.!?]*"
)
_SUMMARY = r"(?:summary|overview|synopsis|recap|gist|tl;?dr|digest|zusammenfassung|übersicht|überblick)"
_KIND = r"(?:an?\s+|the\s+|eine?n?\s+|die\s+)?(?:(?:short|brief|quick|concise|kurze|kurzen)\s+)?"
_OF = r"(?:of|on|about|for|from|von|vom|über|zu|zum|zur|des|der)"
_SUBJECT = r"(?P<subject>\S.{0,200}?)"
_REQUESTS = tuple(
    re.compile(f"{_LEAD}(?:{form}){_TAIL}", re.IGNORECASE)
    for form in (
        rf"(?:(?:give|show|write|provide|gib|geben sie)\s+(?:me\s+|mir\s+)?)?{_KIND}{_SUMMARY}\s+{_OF}\s+{_SUBJECT}",
        rf"(?:summari[sz]e|sum up)\s+(?:for me\s+)?{_SUBJECT}",
        rf"what(?:['’]?s| is| are)\s+{_SUBJECT}\s+(?:all\s+)?about",
        rf"what\s+(?:does|do)\s+{_SUBJECT}\s+(?:cover|contain|describe|discuss|deal with|talk about)",
        rf"what(?:['’]?s| is)\s+(?:(?:covered|described|discussed|written)\s+)?in\s+{_SUBJECT}",
        rf"what\s+(?:are|is)\s+the\s+(?:main|key)\s+(?:points?|takeaways?|ideas?)\s+(?:of|in|from)\s+{_SUBJECT}",
        rf"tl;?\s?dr[\s:,]+(?:{_OF}\s+)?{_SUBJECT}",
        rf"fass(?:e|en sie)?\s+(?:mir\s+)?(?:bitte\s+)?{_SUBJECT}\s+(?:kurz\s+)?zusammen",
        rf"worum geht(?: es|['’]?s)\s+(?:in|im|bei)\s+{_SUBJECT}",
        rf"wovon handelt\s+{_SUBJECT}",
    )
)
# Words for a kind of document, rather than its subject.
_FORMS = frozenset(
    map(
        stem,
        """document documents file files doc docs pdf page text paper article chapter section guide manual handbook book
        slides deck presentation notes sheet table spreadsheet dokument datei handbuch anleitung kapitel
        der die das dem den""".split(),  # noqa: SIM905
    )
)
_PART = re.compile(r"[^\W_]+")
_EXTENSION = re.compile(r"\.[a-z]{2,5}$", re.IGNORECASE)
_SPELT_ALIKE = 85
_SHORTEST_MISSPELT = 5
# If several documents fit, the best must be this many points (of 100) more similar to the subject than the next one.
_NEARER = 5
_FEWEST_SENTENCES, _MOST_SENTENCES = 2, 8
_PASSAGES_A_SENTENCE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryDraft:
    """Sentences of stored summaries, in document order, and the passages that they may be based on."""

    sentences: tuple[str, ...]
    passages: tuple[Passage, ...]


def summary_subject(question: str) -> str:
    """Return what ``question`` asks to summarise, in its own words; "" if it does not ask for a summary."""
    for request in _REQUESTS:
        if match := request.fullmatch(question.strip()):
            return match.group("subject")
    return ""


def find_document(subject: str, documents: Sequence[Document]) -> Document | None:
    """Return the document whose title or file name has all words of ``subject``; None if none or several fit."""
    wanted = _stems(subject)
    telling = [each for each in wanted if each not in _FORMS] or wanted
    if not telling:
        return None
    if set(telling) <= _FORMS and len(documents) == 1:
        return documents[0]
    fitting = []
    for document in documents:
        names = [_stems(document.title), _stems(document.name.rsplit("/", 1)[-1])]
        fit = [name for name in names if _has_all(name, telling)]
        if fit:
            known = sum(_has_all([*names[0], *names[1]], [word]) for word in wanted)
            likeness = max(fuzz.token_sort_ratio(" ".join(wanted), " ".join(name)) for name in fit)
            fitting.append((known, len(fit), likeness, document))
    fitting.sort(key=lambda each: each[:3], reverse=True)
    if not fitting:
        return None
    best, others = fitting[0], fitting[1:2]
    if any(other[:2] == best[:2] and other[2] > best[2] - _NEARER for other in others):
        return None
    return best[3]


def is_heading(subject: str, heading: str) -> bool:
    """Return whether a heading contains all words of ``subject``."""
    wanted = _stems(subject)
    return bool(wanted) and _has_all(_stems(heading), wanted)


def draft_summary(document: Document, chunks: Sequence[Chunk], heading: str = "") -> SummaryDraft:
    """Choose up to eight sentences from the summaries among ``chunks``, spread across the sections of the document.

    If ``heading`` is given, only the sections under it count. Complete sentences of the document are preferred to items
    without a full stop, and both are preferred to the summariser's own words.
    """
    passages: dict[str, list[Passage]] = {}
    for chunk in chunks:
        if chunk.kind == "passage" and chunk.section_id and (not heading or heading in chunk.heading_path):
            passages.setdefault(chunk.section_id, []).append(passage_of(chunk, document))
    by_section = [
        (each.section_id, _sentences(each.text))
        for each in chunks
        if each.kind == "summary" and each.section_id in passages
    ]
    whole, quoted = (
        [(section, [each for each in texts if _stands_in(each.rstrip(left_out), passages[section])])
         for section, texts in by_section] for left_out in ("", ".")
    )  # fmt: skip
    for found in (whole, quoted):
        if sum(len(texts) for _, texts in found) >= _FEWEST_SENTENCES:
            return _chosen(found, passages)
    return _chosen(quoted if heading else by_section, passages)


def _chosen(by_section: Sequence[tuple[str, list[str]]], passages: Mapping[str, list[Passage]]) -> SummaryDraft:
    """Choose sections spread across the document; take the first sentence of each, then the second, and so on."""
    by_section = by_section[:: max(1, -(-len(by_section) // _MOST_SENTENCES))]
    ranked = zip_longest(*([(place, number, text) for number, text in enumerate(texts)]
                           for place, (_, texts) in enumerate(by_section)))  # fmt: skip
    taken = sorted([each for each in chain.from_iterable(ranked) if each is not None][:_MOST_SENTENCES])
    evidence: dict[str, Passage] = {}
    for place, _, text in taken:
        for passage in _nearest(text, passages[by_section[place][0]]):
            evidence[passage.chunk.id] = passage
    return SummaryDraft(sentences=tuple(dict.fromkeys(text for _, _, text in taken)), passages=tuple(evidence.values()))


def headings_of(chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """Return the headings of the highest level that has more than one, in order; () if there is none."""
    paths = [chunk.heading_path for chunk in chunks if chunk.kind == "passage"]
    for level in range(max(map(len, paths), default=0)):
        headings = tuple(dict.fromkeys(path[level] for path in paths if len(path) > level))
        if len(headings) > 1:
            return headings
    return ()


def _nearest(sentence: str, passages: Sequence[Passage]) -> list[Passage]:
    said = set(content_stems(sentence))
    ranked = sorted(
        passages, key=lambda each: (not _holds(each, sentence.rstrip(".")), -len(said & set(content_stems(each.text))))
    )
    return ranked[:_PASSAGES_A_SENTENCE]


def _sentences(summary: str) -> list[str]:
    """Return the sentences of a stored summary, without the questions that follow it."""
    lines = [line.strip(" -*•\t") for line in summary.splitlines()]
    statements = [line for line in lines if line and not line.endswith(("?", "？", "؟"))]
    return [line[span.start : span.end] for line in statements for span in split_sentences(line)]


def _stands_in(words: str, passages: Sequence[Passage]) -> bool:
    return any(_holds(each, words) for each in passages)


def _holds(passage: Passage, words: str) -> bool:
    return find_piece(words, passage.text) is not None


def _stems(text: str) -> list[str]:
    """Return the stems of the words in a title or file name, which hyphens or underscores may join."""
    return [stem(word) for word in _PART.findall(fold(_EXTENSION.sub("", text))) if word not in STOP_WORDS]


def _has_all(name: Sequence[str], words: Sequence[str]) -> bool:
    return all(any(_is_same(word, other) for other in name) for word in words)


def _is_same(word: str, other: str) -> bool:
    return word == other or (len(word) >= _SHORTEST_MISSPELT and fuzz.ratio(word, other) >= _SPELT_ALIKE)
