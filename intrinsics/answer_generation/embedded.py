"""An answer writer without a language model, which quotes the passages."""

import re
import time
from collections.abc import AsyncIterator, Sequence

from contracts.verdicts import Draft
from intrinsics.answer_generation.base import WritingBrief
from intrinsics.answer_generation.option_choice import choose_option, strip_frame
from tools.judges import provenance_since
from tools.language import split_choices
from tools.reading.concepts import coverage, question_concepts, read_words
from tools.reading.features import view_question
from tools.reading.questions import QuestionShape, analyse_question, split_parts
from tools.reading.quoted_answers import QuotedAnswer, quote_answer, quote_answers
from tools.reading.ranking import QuoteRanker, RankedQuote

_NOTHING = "The passages that were found do not contain an answer."
_MAX_PARTS = 3
# A quote that contains at least this share of the words in both compared names answers the comparison on its own.
_BOTH_NAMED = 0.9
_THE = r"(?:the |an? )?"
_COMPARED = tuple(
    re.compile(pattern.replace("THE ", _THE), re.IGNORECASE)
    for pattern in (
        r"\bdifferences? between THE (?P<one>.+?) and THE (?P<two>.+)",
        r"\bhow (?:does|do|is|are) THE (?P<one>.+?) differ(?:ent)? from THE (?P<two>.+)",
        r"\bhow do THE (?P<one>.+?) and THE (?P<two>.+?) differ",
        r"\bcompare THE (?P<one>.+?) (?:and|with|to) THE (?P<two>.+)",
        r"^(?:what is |what's |explain )?THE (?P<one>.+?) (?:vs\.?|versus|compared (?:to|with)) THE (?P<two>.+)",
    )
)


class EmbeddedAnswerWriter:
    """Quotes the sentences, list, table rows or code that answer the question, as Markdown, and adds nothing.

    If a second quote is nearly as likely to be the answer as the first, both are shown. A question with several parts
    gets a quote for each part. A comparison gets a quote for each of the two things, unless one quote names both. The
    chosen option of a multiple-choice question is shown with the quote that supports it.
    """

    def __init__(self, ranker: QuoteRanker) -> None:
        self._ranker = ranker

    async def write(self, brief: WritingBrief) -> AsyncIterator[str | Draft]:
        """Write the answer using only the passages in ``brief``; yield each quote, then one complete ``Draft``."""
        started = time.perf_counter()
        texts = await (self._choose(brief) if brief.choices else self._answer(brief))
        text = ""
        for each in texts or [_NOTHING]:
            piece = each if not text else f"\n\n{each}"
            text += piece
            yield piece
        yield Draft(text=text, provenance=provenance_since(started, self._ranker.name))

    async def _answer(self, brief: WritingBrief) -> list[str]:
        question = split_choices(brief.question.question)[0]
        found: list[QuotedAnswer] = []
        parts = split_parts(question)[:_MAX_PARTS]
        for part in parts:
            found += await self._quoted(_complete(part, question, brief), brief, alone=len(parts) == 1)
        return list(dict.fromkeys(each.text for each in found))

    async def _quoted(self, question: str, brief: WritingBrief, *, alone: bool) -> list[QuotedAnswer]:
        readings = brief.question.readings
        view = view_question(analyse_question(question), readings)
        ranked = await self._ranker.rank(brief.question.model_copy(update={"question": question}), brief.passages)
        if not ranked:
            return []
        sides = compared_things(view.shape)
        if sides and not _names_all(sides, ranked[0], brief):
            both = [await self._best(f"What is {side}?", brief) for side in sides]
            if all(both):
                return [quote_answer(view, [each], brief.passages) for each in both if each is not None]
        if not alone:
            return [quote_answer(view, ranked, brief.passages)]
        return list(quote_answers(view, ranked, brief.passages))

    async def _best(self, question: str, brief: WritingBrief) -> RankedQuote | None:
        ranked = await self._ranker.rank(question, brief.passages)
        return ranked[0] if ranked and ranked[0].score > 0 else None

    async def _choose(self, brief: WritingBrief) -> list[str]:
        question = strip_frame(split_choices(brief.question.question)[0])
        readings = brief.question.readings
        ranked = await self._ranker.rank(brief.question.model_copy(update={"question": question}), brief.passages)
        view = view_question(analyse_question(question), readings)
        chosen = choose_option(view, brief.choices, ranked, brief.passages, readings)
        option = f"{chosen.choice.label}) {chosen.choice.text}"
        quoted = [quote_answer(view, [chosen.evidence], brief.passages).text] if chosen.evidence is not None else []
        return [option, *quoted]


def _complete(part: str, question: str, brief: WritingBrief) -> str:
    """Add the subject of the whole question to a part that does not name it ("… and how does it work?")."""
    readings = brief.question.readings
    if part == question or any(each.special for each in view_question(analyse_question(part), readings).concepts):
        return part
    about = " ".join(each.text for each in view_question(analyse_question(question), readings).focus)
    return f"{part.rstrip('?')} ({about})?" if about else part


def compared_things(shape: QuestionShape) -> tuple[str, ...]:
    """Return the two things that a question compares, in its own words; () if it does not compare two things."""
    for pattern in _COMPARED:
        match = pattern.search(shape.text)
        if match:
            return match["one"].strip(" ,"), match["two"].strip(" ,?.")
    return ()


def _names_all(sides: Sequence[str], best: RankedQuote, brief: WritingBrief) -> bool:
    quote = best.quote
    words = read_words(brief.passages[best.passage].text[quote.whole.start : quote.whole.end])
    return all(coverage(question_concepts(side, brief.question.readings), words) >= _BOTH_NAMED for side in sides)
