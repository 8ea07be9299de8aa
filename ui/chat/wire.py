"""What the chat reads of the API's JSON beside an answer."""

from ui.answer_wire import Citation, Feedback, Golden, Sentence, Step, Told


class Progress(Told):
    """What happens on the way to an answer."""

    started: str | None = None
    step: Step | None = None
    draft: str | None = None
    draft_withdrawn: str | None = None
    citations: tuple[Citation, ...] | None = None
    judged: tuple[Sentence, ...] | None = None


class Turn(Told):
    """A question with its answer, as it is kept."""

    id: str = ""
    seconds: float = 0.0
    question: str = ""
    answer: str = ""
    withheld: str = ""
    golden: Golden = Golden()
    feedback: Feedback | None = None


class KeptConversation(Told):
    """A page of a conversation's turns; ``next`` is where the next one begins."""

    turns: tuple[Turn, ...] = ()
    next: str | None = None
