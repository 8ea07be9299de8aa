"""Answers: the parts that every outcome shares."""

from agent.state import State
from contracts.answer import Answer, Outcome
from tools.language import fold


def begin_answer(state: State, outcome: Outcome, text: str) -> Answer:
    """Return an answer with what is known of the question; the caller adds what its outcome needs."""
    picked = _picked_context(state)
    context = picked or state.contexts.best
    return Answer(
        outcome=outcome,
        text=text,
        question=state.question,
        standalone_question=state.standalone,
        augmented_question=state.augmented.text,
        context=context,
        # What the asker says of their own question is not judged.
        context_probability=1.0 if picked else state.contexts.probability_of(context),
        readings=state.readings,
    )


def context_of(state: State) -> str:
    """Return the context's name: that of a sense the asker picked, else the most probable one, else ""."""
    return _picked_context(state) or state.contexts.best


def _picked_context(state: State) -> str:
    picked = {fold(pick.extended_name) for pick in state.picks}
    for reading in state.readings:
        if reading.sense is not None and reading.sense.context and fold(reading.sense.extended_name) in picked:
            return reading.sense.context
    return ""
