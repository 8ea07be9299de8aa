"""Settings of how a question is answered."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field, field_validator

from agent.policy import Policy
from golden_retriever.profiles import ENCODED

# In wiring/judgements/checks.py stands what each of them is.
RefinementSetting = Literal["auto", "none", "overlap", "always", "self_refine", "generic"]


class AnsweringSettings(BaseModel):
    """How much is read for an answer, when the bot declines, and when it writes a draft again."""

    top_k: int = Field(Policy.top_k, ge=1, le=50, description="Passages that the writer sees.")
    candidates: int = Field(
        Policy.candidates, ge=1, le=500, description="Passages that retrieval brings for reranking."
    )
    answerability_threshold: float = Field(
        Policy.answerability_threshold, ge=0, le=1, description="Below this probability the bot declines."
    )
    refinement: RefinementSetting = Field(
        "auto",
        description="When a language model's draft is written again, once: where retrieval looks noisy and the draft "
        "overlaps too little with its passages (auto), whenever it overlaps too little (overlap), always, or never "
        "(none). self_refine and generic are baselines to compare with.",
    )
    refinement_threshold: float | None = Field(
        None,
        ge=0,
        le=1,
        description="The overlap (share of content words found in the passages) below which a draft is written again; "
        "empty: 0.65. golden-lab calibrate refinement finds that of your own answers.",
    )

    encoder: str = Field(
        "on",
        description="Whether embedded judgements use the trained encoder: on (those that were measured to be better "
        "with it), off, or their names, comma-separated (answerability, context_relevance, faithfulness, "
        "jargon_identification).",
    )
    encoder_folder: Path | None = Field(
        None,
        description="The folder of an encoder that you trained, with its calibration; empty: the one that came with "
        "the program, if any.",
    )

    @field_validator("encoder")
    @classmethod
    def _encoder_is_known(cls, value: str) -> str:
        names = [each.strip() for each in value.split(",")]
        unknown = [] if value in ("on", "off") else [each for each in names if each not in ENCODED]
        if unknown:
            raise ValueError(f'encoder: "{unknown[0]}" is not one of on, off, {", ".join(sorted(ENCODED))}')
        return ",".join(names)
