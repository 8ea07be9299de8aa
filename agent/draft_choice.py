"""Choice between two drafts of one answer, based on the checks."""

from dataclasses import dataclass

from contracts.answer import KeptDraft
from contracts.verdicts import CitationVerdict, Draft, FaithfulnessLabel, FaithfulnessVerdict
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
    """Return whether a draft is supported: at least one sentence is cited and not unfaithful, and the main statement is
    not unfaithful either.

    The main statement is the first sentence that makes a claim; a quotation has none.
    """
    cited = {link.sentence for link in checked.citations.links}
    labels = [each.label for each in checked.faithfulness.sentences]
    main = next((label for label in labels if label != "no_claim"), "no_claim")
    if main == "unfaithful" and checked.draft.provenance.implementation != "embedded":
        return False
    return any(label != "unfaithful" and index in cited for index, label in enumerate(labels))


def held_share(faithfulness: FaithfulnessVerdict) -> float:
    """Return the share of a draft's claims that are faithful, in [0, 1]; a partly faithful claim counts as half.

    Sentences without claims do not count. A draft without claims scores 1.
    """
    values = [_HELD[each.label] for each in faithfulness.sentences if each.label in _HELD]
    return sum(values) / len(values) if values else 1.0


def choose_draft(first: CheckedDraft, rewrite: CheckedDraft) -> tuple[KeptDraft, str]:
    """Choose the rewrite unless it refuses to answer or a smaller share of its claims is supported; return the reason.

    Source: the report on refinement policies for retrieval-augmented answers, section 3.8 (audit of the losses) and
    section 5.2: bad rewrites deny evidence that is in the passages, or remove too much.
    """
    refuses = says_unknown(rewrite.draft.text) or not is_supported(rewrite)
    if is_supported(first) and refuses:
        return "first", "the rewrite refuses a question that the first draft answers"
    before, after = held_share(first.faithfulness), held_share(rewrite.faithfulness)
    shares = f"{after:.0%} of its claims are supported, {before:.0%} in the first draft"
    if after < before - _SAME:
        return "first", f"the rewrite is less faithful: {shares}"
    return "rewrite", f"the rewrite is no less faithful: {shares}"
