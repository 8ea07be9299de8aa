"""The parameters that control the decisions of the graph."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The parameters that control the graph's decisions; the settings take their defaults from here.

    ``candidates`` passages are retrieved and reranked; the best ``top_k`` are used. Below ``answerability_threshold``
    (a probability) no answer is written; at ``sure_answerability`` or above, a language model that finds no answer is
    overruled. An unknown term stops the question if it is jargon with a probability above ``unknown_jargon_threshold``.
    The best ``always_read`` passages are read whatever the relevance verdict is: one wrong verdict must not hide the
    answer. If a sense was chosen with a probability of ``sure_sense_threshold`` or more, passages that use its term in
    a different sense are left out. ``llm_timeout_s`` is the time in seconds that language models may spend on one
    question, not counting the time that calls wait for their turn. ``history_turns`` earlier turns are read with a
    question. ``contact`` is shown when nothing is found.
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
