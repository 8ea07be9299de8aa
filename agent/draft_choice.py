"""Two drafts of one answer: which of them is kept according to the checks."""

from dataclasses import dataclass

from contracts.answer import KeptDraft, RefinementRecord
from contracts.verdicts import CitationVerdict, Draft, FaithfulnessLabel, FaithfulnessVerdict, RefinementVerdict
from tools.language.abstention import says_unknown

_HELD: dict[FaithfulnessLabel, float] = {"faithful": 1.0, "partial": 0.5, "unfaithful": 0.0}
_SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedDraft:
    """A draft with its citations and the verdict on each of its sentences."""

    draft: Draft
    citations: CitationVerdict
    faithfulness: FaithfulnessVerdict


def is_supported(checked: CheckedDraft) -> bool:
    """Return whether a draft is supported: one of its sentences is cited and not unfaithful, and neither is its main
    statement.

    The main statement is the first sentence that claims something; a quotation has none.
    """
    cited = {link.sentence for link in checked.citations.links}
    labels = [each.label for each in checked.faithfulness.sentences]
    main = next((label for label in labels if label != "no_claim"), "no_claim")
    if main == "unfaithful" and checked.draft.provenance.implementation != "embedded":
        return False
    return any(label != "unfaithful" and index in cited for index, label in enumerate(labels))


def held_share(faithfulness: FaithfulnessVerdict) -> float:
    """Return the share of a draft's claims that are faithful, in [0, 1]; a partly faithful one counts as half.

    Sentences that claim nothing do not count. A draft that claims nothing scores 1.
    """
    values = [_HELD[each.label] for each in faithfulness.sentences if each.label in _HELD]
    return sum(values) / len(values) if values else 1.0


def choose_draft(first: CheckedDraft, rewrite: CheckedDraft) -> tuple[KeptDraft, str]:
    """Keep the rewrite unless it refuses what the first draft answers, or fewer of its claims are supported; say why.

    Source: rewrites that go wrong deny evidence that is in the passages, or prune too much, in the report on refinement
    policies for retrieval-augmented answers, section 3.8 (audit of the losses) and section 5.2.
    """
    refuses = says_unknown(rewrite.draft.text) or not is_supported(rewrite)
    if is_supported(first) and refuses:
        return "first", "the rewrite refuses a question that the first draft answers"
    before, after = held_share(first.faithfulness), held_share(rewrite.faithfulness)
    shares = f"{after:.0%} of its claims are supported, {before:.0%} in the first draft"
    if after < before - _SAME:
        return "first", f"the rewrite is less faithful: {shares}"
    return "rewrite", f"the rewrite is no less faithful: {shares}"


def begin_record(verdict: RefinementVerdict, *, fired: bool) -> RefinementRecord:
    """Return the record of a review; ``fired`` says whether a rewrite follows."""
    return RefinementRecord(fired=fired, **verdict.model_dump(include=set(RefinementRecord.model_fields)))
