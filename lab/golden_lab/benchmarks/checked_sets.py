"""The sets on which faithfulness is scored: where they come from, what of them is scored, what others reached."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.benchmark import About, Published
from evaluation.splits import SplitUse
from golden_lab.datasets.annotated import AnnotatedClaim, begin_claims, expertqa_claims, wice_claims

_INTRINSICS = "Danilevsky et al., A Library of LLM Intrinsics for Retrieval-Augmented Generation, Table 17"
_LETTUCE = "Kovács and Recski 2025, LettuceDetect (arXiv:2502.17125), table of RAGTruth results, column QA"
_DIFFERS = (
    "official test split, six models, all answers; ours: a sample of the train split, four of its six models, quality "
    "“good” only"
)
# System: precision, recall and F1 of hallucinated answers.
_TABLE_17 = {
    "GPT-3.5-turbo, prompted": (0.188, 0.844, 0.308),
    "GPT-4-turbo, prompted": (0.332, 0.906, 0.456),
    "SelfCheckGPT": (0.350, 0.580, 0.437),
    "LMvLM": (0.187, 0.769, 0.301),
    "Llama-2-13B, fine-tuned": (0.616, 0.763, 0.682),
    "Granite 3.3 8B, adapter": (0.681, 0.692, 0.686),
}
_ANSWER_F1 = {
    "RAGAS": 0.357,
    "Luna": 0.513,
    "LettuceDetect base (150M)": 0.655,
    "LettuceDetect large (395M)": 0.702,
    "RAG-HAT 8B": 0.748,
}
_SPAN_F1 = {"LettuceDetect base (150M)": 0.615, "LettuceDetect large (395M)": 0.644}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSet:
    """A set of claims: ``size`` of those that ``read`` brings are measured unless the run is full.

    ``labels`` turns the set's labels into those of a faithfulness judge where it has three like them, else it is empty.
    """

    about: About
    read: Callable[[Path], Sequence[AnnotatedClaim]]
    size: int
    labels: Mapping[str, str] = field(default_factory=dict)


RAGTRUTH = About(
    name="hallucination-ragtruth",
    title="Hallucination in whole answers (RAGTruth QA)",
    intrinsic="faithfulness",
    metric="F1 hallucinated",
    source="RAGTruth, part QA (Niu et al. 2024)",
    licence="MIT; passages from MS MARCO, non-commercial research",
    split="official train split, four models, quality “good” only; nothing is fitted on it, but rules for openings and "
    "references were written with some of its answers in view",
    uses=(SplitUse(file="ragtruth_qa/train.jsonl.gz"),),
    published=(
        *(
            Published(metric=f"{metric} hallucinated", value=value, system=system, source=_INTRINSICS, differs=_DIFFERS)
            for system, row in _TABLE_17.items()
            for metric, value in zip(("precision", "recall", "F1"), row, strict=True)
        ),
        *(
            Published(metric="F1 hallucinated", value=value, system=system, source=_LETTUCE, differs=_DIFFERS)
            for system, value in _ANSWER_F1.items()
        ),
        *(
            Published(
                metric="span F1",
                value=value,
                system=system,
                source=_LETTUCE,
                differs=f"{_DIFFERS}; they mark tokens, we whole sentences",
            )
            for system, value in _SPAN_F1.items()
        ),
    ),
)

WICE = ClaimSet(
    about=About(
        name="hallucination-wice",
        title="Claims of Wikipedia against the pages they cite (WiCE)",
        intrinsic="faithfulness",
        metric="AUROC",
        source="WiCE (Kamoi et al. 2023, “Real-World Entailment for Claims in Wikipedia”)",
        licence="annotations ODC-BY; Wikipedia CC BY-SA; pages of Common Crawl",
        split="dev, half of the claims; short evidence; partly supported counts as unsupported",
        uses=(SplitUse(file="wice/oracle_chunks_claim_dev.jsonl.gz", part="score"),),
    ),
    read=wice_claims,
    size=160,
    labels={"supported": "faithful", "partially_supported": "partial", "not_supported": "unfaithful"},
)

EXPERTQA = ClaimSet(
    about=About(
        name="hallucination-expertqa",
        title="Experts' verdicts on claims and their evidence (ExpertQA)",
        intrinsic="faithfulness",
        metric="AUROC",
        source="ExpertQA (Malaviya et al. 2024)",
        licence="MIT",
        split="validation and test files, claims whose evidence is there as text; “Complete” against “Partial” and "
        "“Incomplete”",
        uses=(SplitUse(file="expertqa/claims.jsonl.gz"),),
    ),
    read=expertqa_claims,
    size=140,
    labels={"Complete": "faithful", "Partial": "partial", "Incomplete": "unfaithful"},
)

BEGIN = ClaimSet(
    about=About(
        name="hallucination-begin",
        title="Replies in conversation against the knowledge given (BEGIN)",
        intrinsic="faithfulness",
        metric="AUROC",
        source="BEGIN (Dziri et al. 2022)",
        licence="CC BY 4.0 (Wizard of Wikipedia, CMU-DoG), CDLA-Sharing-1.0 (TopicalChat)",
        split="dev; “Fully attributable” against the others, “Generic” among them",
        uses=tuple(SplitUse(file=f"begin/begin_dev_{source}.jsonl.gz") for source in ("wow", "cmu", "tc")),
    ),
    read=begin_claims,
    size=160,
)
