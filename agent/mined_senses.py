"""Mined senses: unpublished definitions from documents, visible to askers who may read these documents."""

import re
from collections.abc import Sequence

from contracts.jargon import Sense
from contracts.search import Groups
from tools.language import fold
from tools.search.base import LexicalIndex

# The first passages of all documents come before any second passage, so a small number is enough.
_PASSAGES_READ = 50


def readable_drafts(drafts: Sequence[Sense], lexical: LexicalIndex, groups: Groups) -> tuple[Sense, ...]:
    """Return the mined senses that documents of ``groups`` (None: all) support, most used first. This call blocks.

    If the asker may not read every document, one passage that they may read must contain both the term and its extended
    name: if the two occur in different passages, this does not show that one means the other. The sense keeps its
    description only if a passage that the asker may read contains it; its source is then that passage's document.
    """
    counted = [(lexical.document_frequency(draft.extended_name, groups=groups), draft) for draft in drafts]
    used = [draft for count, draft in sorted(counted, key=lambda pair: -pair[0]) if count]
    if groups is None:
        return tuple(used)
    readable = [_restricted_to_readable(draft, lexical, groups) for draft in used]
    return tuple(draft for draft in readable if draft is not None)


def _restricted_to_readable(draft: Sense, lexical: LexicalIndex, groups: Groups) -> Sense | None:
    uses = lexical.find_phrase(draft.extended_name, _PASSAGES_READ, groups=groups)
    telling = [use for use in uses if holds_term(use.text, draft.term)]
    if not telling:
        return None
    description = draft.description if any(_plain(draft.description) in _plain(use.text) for use in telling) else ""
    return draft.model_copy(update={"description": description, "notes": "", "source": telling[0].document_name})


def holds_term(text: str, term: str) -> bool:
    """Return whether ``text`` contains ``term`` as a whole word; letter case and white space do not matter."""
    return re.search(rf"(?<!\w){re.escape(_plain(term))}(?!\w)", _plain(text)) is not None


def _plain(text: str) -> str:
    return " ".join(fold(text).split())
