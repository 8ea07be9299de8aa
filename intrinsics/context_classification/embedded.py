"""Context classification without a model of its own, by similarity to the manager's texts about each context."""

import asyncio
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from contracts.jargon import Context, Correction, Sense
from contracts.question import Turn
from contracts.text import Passage
from contracts.verdicts import ContextVerdict
from intrinsics.context_classification.features import (
    ContextFeatures,
    CorrectedQuestions,
    DocumentContexts,
    WordProfiles,
    folded_terms,
    jargon_shares,
    terms_in,
)
from tools.embedding.base import Embedder, Matrix
from tools.jargon.base import JargonDictionary
from tools.judges import provenance_since
from tools.language import fold

_MAX_TERMS = 20_000
_NO_LENGTH = 1e-5
_MOST_PASSAGES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The weights of the features, and the parts of the logit of "none of these"; see ``calibration.json``.

    ``none_logit`` applies to one context without examples. Examples, more contexts and a history increase the scores of
    all contexts by chance. This is compensated by ``none_logit_with_examples`` times the share of contexts that have
    examples, ``none_logit_by_number`` times the logarithm of the number of contexts, and
    ``none_logit_in_conversation`` if there is a history.
    """

    weights: Mapping[str, float]
    none_logit: float
    none_logit_with_examples: float
    none_logit_by_number: float
    none_logit_in_conversation: float

    @classmethod
    def stored(cls) -> "Calibration":
        stored = json.loads(Path(__file__).with_name("calibration.json").read_text(encoding="utf-8"))
        return cls(**{each.name: stored[each.name] for each in fields(cls)})

    def none_of(self, contexts: Sequence[Context], *, in_conversation: bool) -> float:
        logit = self.none_logit + self.none_logit_in_conversation * in_conversation
        if contexts:
            with_examples = sum(1 for context in contexts if context.examples) / len(contexts)
            logit += self.none_logit_with_examples * with_examples
            logit += self.none_logit_by_number * math.log(len(contexts))
        return logit


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prototypes:
    """The data prepared from ``contexts`` and from this ``version`` of the dictionary.

    ``contrasts`` are the mean vectors of the contexts without ``common``, the part that all contexts share.
    """

    contexts: tuple[Context, ...]
    version: str
    descriptions: Matrix
    examples: tuple[Matrix, ...]
    common: Matrix
    contrasts: Matrix
    words: WordProfiles
    documents: DocumentContexts
    spellings: Mapping[str, tuple[str, ...]]


class EmbeddedContextClassifier:
    """Compares a question with each context's description, examples and jargon, and applies a calibrated softmax."""

    def __init__(self, embedder: Embedder, dictionary: JargonDictionary) -> None:
        self._embedder = embedder
        self._dictionary = dictionary
        self._calibration = Calibration.stored()
        self._prototypes: _Prototypes | None = None
        self._corrections: tuple[Correction, ...] = ()
        self._corrected = CorrectedQuestions((), np.zeros((0, 1), dtype=np.float32))
        self._preparing = asyncio.Lock()

    async def classify(
        self,
        question: str,
        contexts: Sequence[Context],
        *,
        history: Sequence[Turn] = (),
        department: str = "",
        passages: Sequence[Passage] = (),
    ) -> ContextVerdict:
        started = time.perf_counter()
        features = await self.features(question, contexts, history=history, department=department, passages=passages)
        figures = self._calibration
        logits = [each.weighted(figures.weights) for each in features]
        none = figures.none_of(contexts, in_conversation=bool(history))
        top = max([none, *logits])
        exponentials = [math.exp(logit - top) for logit in (*logits, none)]
        total = sum(exponentials)
        shares = [value / total for value in exponentials]
        return ContextVerdict.of(contexts, shares, provenance_since(started, self._embedder.name))

    async def features(
        self,
        question: str,
        contexts: Sequence[Context],
        *,
        history: Sequence[Turn] = (),
        department: str = "",
        passages: Sequence[Passage] = (),
    ) -> tuple[ContextFeatures, ...]:
        if not contexts:
            return ()
        earlier = " ".join(turn.text for turn in history if turn.role == "user")[-2_000:] if history else ""
        texts = [question, earlier] if earlier.strip() else [question]
        known, vectors = await asyncio.gather(self._prepared(tuple(contexts)), self._embedder.embed_queries(texts))
        senses, corrections = await asyncio.gather(
            self._dictionary.senses(sorted(terms_in(question, known.spellings))), self._corrected_questions()
        )
        names = [context.name for context in contexts]
        jargon = jargon_shares(names, senses)
        corrected = corrections.shares(names, vectors[0])
        documents = known.documents.shares(passages[:_MOST_PASSAGES])
        contrasts = known.contrasts @ _unit(vectors[0] - known.common)
        words = known.words.shares(question)
        earlier_words = known.words.shares(earlier) if len(texts) > 1 else dict.fromkeys(names, 0.0)
        return tuple(
            ContextFeatures(
                description=float(known.descriptions[row] @ vectors[0]),
                examples=_best(known.examples[row], known.descriptions[row], vectors[0]),
                contrast=float(contrasts[row]),
                words=words[name],
                jargon=jargon[name],
                department=float(fold(department) == fold(name)) if department else 0.0,
                corrected=corrected[name],
                documents=documents[name],
                earlier=(
                    0.5 * (float(known.descriptions[row] @ vectors[1]) + earlier_words[name]) if len(texts) > 1 else 0.0
                ),
            )
            for row, name in enumerate(names)
        )

    async def _prepared(self, contexts: tuple[Context, ...]) -> _Prototypes:
        version = await self._dictionary.version()
        async with self._preparing:
            known = self._prototypes
            if known is None or known.version != version or known.contexts != contexts:
                known = self._prototypes = await self._prepare(contexts, version)
            return known

    async def _corrected_questions(self) -> CorrectedQuestions:
        corrections = await self._dictionary.corrections()
        async with self._preparing:
            if corrections != self._corrections:
                self._corrected = await CorrectedQuestions.read(corrections, self._embedder)
                self._corrections = corrections
            return self._corrected

    async def _prepare(self, contexts: tuple[Context, ...], version: str) -> _Prototypes:
        old = self._prototypes
        vocabulary = await self._dictionary.vocabulary()
        terms = sorted({term for several in vocabulary.terms.values() for term in several})[:_MAX_TERMS]
        found = await self._dictionary.senses(terms)
        senses: list[Sense] = [sense for several in found.values() for sense in several]
        if old is not None and old.contexts == contexts:
            descriptions, examples, common, contrasts = old.descriptions, old.examples, old.common, old.contrasts
        else:
            descriptions = await self._embedder.embed_documents([f"{c.name}: {c.description}" for c in contexts])
            rows = await self._embedder.embed_documents([each for context in contexts for each in context.examples])
            examples = tuple(np.split(rows, np.cumsum([len(context.examples) for context in contexts])[:-1]))
            common, contrasts = _contrasted(descriptions, examples)
        # A large dictionary takes a second or two; in a thread, this does not block other questions.
        words, documents, spellings = await asyncio.to_thread(_read_words, contexts, senses, vocabulary.terms)
        return _Prototypes(
            contexts=contexts,
            version=version,
            descriptions=descriptions,
            examples=examples,
            common=common,
            contrasts=contrasts,
            words=words,
            documents=documents,
            spellings=spellings,
        )


def _read_words(
    contexts: Sequence[Context], senses: Sequence[Sense], terms: Mapping[str, tuple[str, ...]]
) -> tuple[WordProfiles, DocumentContexts, Mapping[str, tuple[str, ...]]]:
    names = [context.name for context in contexts]
    return WordProfiles(contexts, senses), DocumentContexts(names, senses), folded_terms(terms)


def _contrasted(descriptions: Matrix, examples: Sequence[Matrix]) -> tuple[Matrix, Matrix]:
    """Return the mean of the contexts, and the direction in which each context differs from it."""
    means = [
        description + some.mean(axis=0) if len(some) else description
        for description, some in zip(descriptions, examples, strict=True)
    ]
    prototypes = _unit(np.array(means, dtype=np.float32))
    common = np.asarray(prototypes.mean(axis=0), dtype=np.float32)
    return common, _unit(prototypes - common)


def _unit(vectors: Matrix) -> Matrix:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    # A single context equals the mean of all contexts, so it has no direction.
    return np.asarray(vectors / np.where(lengths > _NO_LENGTH, lengths, np.inf), dtype=np.float32)


def _best(examples: Matrix, description: Matrix, vector: Matrix) -> float:
    """Return the cosine of the nearest example, or of the description if the context has no examples."""
    return float((examples @ vector).max()) if len(examples) else float(description @ vector)
