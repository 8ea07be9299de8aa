"""Settings of how a question is answered."""

from pydantic import BaseModel, Field


class AnsweringSettings(BaseModel):
    """How much is read for an answer, and when the bot declines."""

    top_k: int = Field(8, ge=1, le=50, description="Passages that the writer sees.")
    candidates: int = Field(16, ge=1, le=500, description="Passages that retrieval brings for reranking.")
    answerability_threshold: float = Field(0.5, ge=0, le=1, description="Below this probability the bot declines.")
