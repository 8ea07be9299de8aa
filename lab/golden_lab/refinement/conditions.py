"""The conditions of a refinement study: the texts written for a question, and the text that each condition uses."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from agent.answer_assembly import sentences_of
from agent.draft_choice import CheckedDraft, choose_draft
from agent.services import Services
from contracts.verdicts import Draft
from golden_lab.metrics.answers import answer_similarity
from golden_lab.refinement.attribution import FlagPassages, PassageUse
from golden_lab.refinement.cases import StudyCase
from golden_lab.refinement.metrics import CUT, OVERLAP, REPEATING, cited_pairs, flag_passages, numbers_of
from golden_lab.refinement.writers import (
    SeededChatModel,
    criticise,
    fixed_critique,
    marked_text,
    write_draft,
    write_from_memory,
)
from golden_lab.results import Outcome
from intrinsics.refinement.difficulty import gauge_difficulty
from tools.chat.base import ChatModel

# A description of each condition, in the order of the tables.
CONDITIONS: Mapping[str, str] = {
    "A": "the first draft",
    "B": "no passages",
    "C1": "another seed",
    "C2": "every draft written again, asked to look once more",
    "D": "the lowest overlap (S3) written again under the fixed critique",
    "D kept": "as D, but the rewrite is kept only where it is no worse, as the product does",
    "auto": "as D, only where retrieval looks noisy",
    "E": "every draft written again under the model's own critique (Self-Refine)",
    "always": "every draft written again under the fixed critique",
    "v2a": "flagged drafts written again, the passages named",
    "v2b": "as v2a, and asked to leave out what rests on none",
    "v2c": "flagged drafts written again under the fixed critique, no passage named",
}
# Pairs of conditions to compare; quartiles are computed only for "always" against the first draft.
COMPARISONS = (
    ("D", "A"), ("D", "E"), ("E", "A"), ("C1", "A"), ("C2", "A"), ("D kept", "A"), ("always", "A"),
    ("v2c", "A"), ("v2c", "D"), ("v2c", "E"), ("v2a", "D"), ("v2b", "D"),
)  # fmt: skip
# Texts that are not rewrites of the first draft.
FIRST_TEXTS = ("A", "B", "C1")
# Different from any seed that a person would choose.
_OTHER_SEED = 1_000_003


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyParts:
    """The writing model and the judging services.

    ``flag`` flags passages for v2a, v2b and v2c. If it is None, the flagged passages are those that the draft cites
    although they are labelled irrelevant or, without labels, support no sentence.
    """

    chat: ChatModel
    services: Services
    flag: FlagPassages | None = None


class _TextsOfCase:
    """Writes the texts of one case with one seed, and keeps each with its numbers in ``answers``."""

    def __init__(self, case: StudyCase, seed: int, parts: StudyParts) -> None:
        self._case, self._seed, self._parts = case, seed, parts
        self.answers: dict[str, dict[str, Any]] = {}

    def writer(self, offset: int = 0) -> SeededChatModel:
        """Return a chat model that counts the calls for one text."""
        return SeededChatModel(self._parts.chat, seed=self._seed + offset)

    async def keep(self, name: str, chat: SeededChatModel, draft: Draft) -> Draft:
        """Measure ``draft``, which ``chat`` wrote, and keep it as the text ``name``."""
        grounded = name != "B"
        judge = self._parts.services.faithfulness_judge
        pairs = await cited_pairs(judge, self._case, draft) if grounded else ()
        numbers = numbers_of(self._case, draft, pairs, grounded=grounded)
        self.answers[name] = {
            "text": marked_text(draft),
            "numbers": {**numbers, REPEATING: float(chat.repeating > 0), CUT: float(chat.cut > 0)},
            "calls": chat.calls,
            "characters": chat.characters,
        }
        return draft

    async def first(self, name: str, offset: int = 0) -> Draft:
        """Write a draft from the passages."""
        chat = self.writer(offset)
        return await self.keep(name, chat, await write_draft(chat, self._case.question, self._case.passages))

    async def again(self, name: str, draft: Draft, critique: str, chat: SeededChatModel | None = None) -> Draft:
        """Rewrite ``draft`` with ``critique``."""
        chat = chat or self.writer()
        case = self._case
        written = await write_draft(chat, case.question, case.passages, critique=critique, draft=draft.text)
        return await self.keep(name, chat, written)


async def run_case(case: StudyCase, seed: int, parts: StudyParts) -> Outcome:
    """Write all texts of one case with one seed, and measure each.

    Raises:
        ChatUnavailable: the chat server does not answer.
    """
    texts = _TextsOfCase(case, seed, parts)
    answers = texts.answers
    first = await texts.first("A")
    chat = texts.writer()
    memory = await texts.keep("B", chat, await write_from_memory(chat, case.question))
    await texts.first("C1", _OTHER_SEED)
    await texts.again("C2", first, fixed_critique("generic"))
    always = await texts.again("always", first, fixed_critique("v2c"))
    chat = texts.writer()
    own = await criticise(chat, case.question, first.text, case.passages)
    # An empty critique leaves the draft unchanged.
    await (texts.again("E", first, own, chat) if own else texts.keep("E", chat, first))
    use = await parts.flag(case.question, first.text, case.passages) if parts.flag else None
    flagged = await _flagged(case, first, parts.services, use)
    for wording in ("v2a", "v2b") if flagged else ():
        await texts.again(wording, first, fixed_critique(wording, flagged))
    both = [await _checked(parts.services, case, draft) for draft in (first, always)]
    difficulty = gauge_difficulty(case.question, case.passages, overlap=float(answers["A"]["numbers"][OVERLAP]))
    return Outcome(
        id=outcome_id(case, seed),
        values={
            "case": case.id,
            "shape": case.shape,
            "seed": seed,
            "answers": answers,
            "flagged": list(flagged),
            "keeps_rewrite": choose_draft(*both)[0] == "rewrite",
            "noisy": difficulty.noisy,
            "S1": answer_similarity(first.text, memory.text),
            **(asdict(use.faithfulness) if use and use.faithfulness else {}),
        },
        trace={"question": case.question, "A": marked_text(first), "always": marked_text(always)},
    )


def outcome_id(case: StudyCase, seed: int) -> str:
    """Return the id of a case with one seed."""
    return f"{case.shape}/{case.id}/{seed}"


def text_of(condition: str, values: Mapping[str, Any], threshold: float) -> str:
    """Return the name of the text that ``condition`` uses: "A" if it keeps the first draft.

    ``values`` are the values of a case's outcome; ``threshold`` is the overlap below which D fires.
    """
    below = values["answers"]["A"]["numbers"][OVERLAP] < threshold
    flagged = bool(values["flagged"])
    fired = {
        "D": below,
        "D kept": below and values["keeps_rewrite"],
        "auto": below and values["noisy"],
        "v2c": flagged,
    }
    if condition in fired:
        return "always" if fired[condition] else "A"
    return condition if condition not in ("v2a", "v2b") or flagged else "A"


def calls_of(condition: str, values: Mapping[str, Any], threshold: float) -> tuple[int, int]:
    """Count the replies that a condition needs, including the first draft of a rewrite, and their characters."""
    # A rewrite that is discarded costs as much as one that is kept.
    text = text_of("D" if condition == "D kept" else condition, values, threshold)
    spent = [values["answers"][name] for name in ({text} if text in FIRST_TEXTS else {text, "A"})]
    return sum(each["calls"] for each in spent), sum(each["characters"] for each in spent)


async def _flagged(case: StudyCase, first: Draft, services: Services, use: PassageUse | None) -> tuple[int, ...]:
    """Return the passages that the first draft should not have relied on."""
    if use is None:
        return flag_passages(case, await cited_pairs(services.faithfulness_judge, case, first))
    # Human relevance labels, if there are any, take precedence.
    return tuple(each for each in use.used if not case.relevant[each]) if case.relevant else use.flagged


async def _checked(services: Services, case: StudyCase, draft: Draft) -> CheckedDraft:
    """Cite and check a draft as the bot does when it chooses between two drafts."""
    sentences = [each.text for each in sentences_of(draft.text)]
    return CheckedDraft(
        draft=draft,
        citations=await services.citation_finder.find(sentences, case.passages, question=case.question),
        faithfulness=await services.faithfulness_judge.judge(case.question, sentences, case.passages),
    )
