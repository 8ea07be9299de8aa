"""The numbers that control the graph's decisions."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The numbers by which the graph decides; the settings take their defaults from here.

    ``candidates`` passages are searched and reranked, of which ``top_k`` are used. Below ``answerability_threshold`` (a
    probability) nothing is written; from ``sure_answerability`` on, a language model that finds no answer is overruled.
    ``unknown_jargon_threshold``: above this probability an unknown term stops the question. ``always_read`` is how many
    of the best passages are read whatever the relevance verdict says: one wrong verdict must not hide the answer.
    Passages that use a term in another sense than the chosen one are left out if that sense has a probability of
    ``sure_sense_threshold`` or more. ``llm_timeout_s`` is how long a question may keep language models busy, in
    seconds, without the time that its calls wait for their turn. ``history_turns`` is how many earlier turns are read
    with a question. ``contact`` is shown when nothing is found.
    """

    candidates: int = 16
    top_k: int = 8
    answerability_threshold: float = 0.4
    sure_answerability: float = 0.8
    unknown_jargon_threshold: float = 0.5
    always_read: int = 3
    sure_sense_threshold: float = 0.9
    citations_per_sentence: int = 2
    closest_passages: int = 3
    suggestions: int = 5
    llm_timeout_s: float = 120.0
    history_turns: int = 12
    contact: str = "the knowledge base manager"

    def is_answerable(self, probability: float) -> bool:
        return probability >= self.answerability_threshold
