"""Answers: the parts that every outcome shares."""

from agent.state import State
from contracts.answer import Answer, Outcome
from tools.language import fold


def begin_answer(state: State, outcome: Outcome, text: str) -> Answer:
    """Return an answer with what is known of the question; the caller adds what its outcome needs."""
    context = context_of(state)
    return Answer(
        outcome=outcome,
        text=text,
        question=state.question,
        standalone_question=state.standalone,
        augmented_question=state.augmented.text,
        context=context,
        context_probability=state.contexts.probability_of(context),
        readings=state.readings,
    )


def context_of(state: State) -> str:
    """Return the context's name: that of a sense the asker picked, else the most probable one, else ""."""
    picked = {fold(pick.extended_name) for pick in state.picks}
    for reading in state.readings:
        if reading.sense is not None and reading.sense.context and fold(reading.sense.extended_name) in picked:
            return reading.sense.context
    return state.contexts.best
