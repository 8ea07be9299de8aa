"""What the encoder is asked about in the calibration parts, and what the features say: it depends on no weights."""

import hashlib
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import golden_lab.datasets
import intrinsics.answerability
import intrinsics.context_relevance
import intrinsics.faithfulness
import tools.evidence
import tools.reading
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from golden_lab.calibration.answerability import KIND_WEIGHTS
from golden_lab.calibration.command import Arguments, held_out_rows
from golden_lab.datasets.annotated import AnnotatedClaim, begin_claims, expertqa_claims
from golden_lab.datasets.cases import Case, mtrag_cases, squad_cases
from golden_lab.datasets.claims import Claim, squad_claims, wice_claims
from golden_lab.datasets.manuals import manual_cases
from golden_lab.splits import part_of
from intrinsics.answerability import encoded as answering
from intrinsics.answerability.embedded import EmbeddedAnswerabilityJudge
from intrinsics.context_relevance import encoded as relating
from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge
from intrinsics.faithfulness import encoded as checking
from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
from tools.embedding.base import Embedder
from tools.encoder import TextPair

_ARTICLES, _QUESTIONS_EACH, _CLAIM_ARTICLES, _PARAGRAPHS_EACH = 12, 20, 40, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """A verdict to join: the features' probability, the pairs of which the best counts, the truth, its weight."""

    embedded: float
    pairs: tuple[TextPair, ...]
    truth: bool
    weight: float = 1.0


Parts = Mapping[str, Sequence[Observed]]


async def observe_cases(run: Arguments, embedder: Embedder) -> dict[str, Parts]:
    """Observe each judgement's calibration cases by where they come from; kept in the scratch folder."""
    kept = run.scratch / f"encoder-{run.seed}-{_code_digest()}.pickle"
    if kept.exists():
        # Written by this very function, into a folder that the caller named for it.
        found: dict[str, Parts] = pickle.loads(kept.read_bytes())
        return found

    def of_article(title: str) -> bool:
        return part_of("squad2", title, whole=True) == "calibration"

    squad = await squad_cases(
        run.data, embedder, articles=_ARTICLES, questions_each=_QUESTIONS_EACH, seed=run.seed, of_article=of_article
    )
    mtrag = [each for each in mtrag_cases(run.data) if part_of("mtrag", each.group) == "calibration"]
    manuals = await manual_cases(run.data, embedder)
    scored = held_out_rows("awsdocs", [each.group for each in manuals])
    manuals = [each for each, out in zip(manuals, scored, strict=True) if not out]
    people: list[Claim | AnnotatedClaim] = []
    for name, claims in (("wice", wice_claims), ("begin", begin_claims), ("expertqa", expertqa_claims)):
        people += [each for each in claims(run.data) if part_of(name, each.group) == "calibration"]
    made = squad_claims(
        run.data, articles=_CLAIM_ARTICLES, paragraphs_each=_PARAGRAPHS_EACH, seed=run.seed, of_article=of_article
    )
    shown = [each for each in squad if each.kind != "name_swapped"]
    observed: dict[str, Parts] = {
        "context_relevance": {
            "squad": await relevance_cases(shown, embedder),
            "mtrag": await relevance_cases(mtrag, embedder),
        },
        "answerability": {
            "squad": await answerability_cases(squad, embedder),
            "mtrag": await answerability_cases(mtrag, embedder),
            "manuals": await answerability_cases(manuals, embedder),
        },
        "faithfulness": {
            "people": await faithfulness_cases(people, embedder),
            "made": await faithfulness_cases(made, embedder),
        },
    }
    kept.write_bytes(pickle.dumps(observed))
    return observed


async def relevance_cases(cases: Sequence[Case], embedder: Embedder) -> list[Observed]:
    """Observe the passages that the encoder would be asked about."""
    judge, found = EmbeddedRelevanceJudge(embedder), []
    for case in cases:
        weighed = await judge.weigh(case.question, case.passages)
        found += [
            Observed(
                embedded=weighed[at].verdict.probability,
                pairs=(TextPair(case.question, weighed[at].excerpt),),
                truth=case.relevant[at],
            )
            for at in relating.doubtful(weighed)
        ]
    return found


async def answerability_cases(cases: Sequence[Case], embedder: Embedder) -> list[Observed]:
    """Observe the questions with their passages that the features leave open."""
    judge, found = EmbeddedAnswerabilityJudge(embedder), []
    for case in cases:
        asked = AugmentedQuestion(
            question=case.question, text=case.question, readings=(), provenance=Provenance(implementation="calibration")
        )
        weighed = await judge.weigh(asked, case.passages)
        if answering.is_open(weighed):
            pairs, weight = answering.pairs_of(case.question, weighed), KIND_WEIGHTS.get(case.kind, 1.0)
            found.append(Observed(embedded=weighed.probability, pairs=pairs, truth=case.answerable, weight=weight))
    return found


async def faithfulness_cases(claims: Sequence[Claim | AnnotatedClaim], embedder: Embedder) -> list[Observed]:
    """Observe the claims that the features do not settle."""
    judge, found = EmbeddedFaithfulnessJudge(embedder), []
    for claim in claims:
        checked = await judge.check(claim.question, claim.text, claim.passages)
        if checked.nearest:
            pairs = checking.pairs_of(claim.text, checked)
            found.append(Observed(embedded=checked.verdict.probability, pairs=pairs, truth=claim.supported))
    return found


def _code_digest() -> str:
    """Return a digest of the code that makes cases and features: what it made before a change counts no more."""
    packages = (
        golden_lab.datasets, tools.evidence, tools.reading, intrinsics.answerability, intrinsics.context_relevance,
        intrinsics.faithfulness,
    )  # fmt: skip
    files = [file for package in packages for file in sorted(Path(package.__path__[0]).glob("*.py"))]
    return hashlib.sha256(b"".join(file.read_bytes() for file in [*files, Path(__file__)])).hexdigest()[:12]
