"""Drafting: what is mined from the documents, from its offer to its publication or its end."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from contracts.jargon import MinedTerm, Sense, SenseState
from database.session import writing
from jargon_db.candidates import add_candidates, forget_evidence, select_candidates
from jargon_db.editing import set_states
from jargon_db.publishing import choose_drafts
from jargon_db.recording import JargonRecorder
from jargon_db.trail import Trail
from jargon_db.values import Action, DraftChoice
from jargon_db.writing import lock, settle

_ACTIONS: dict[str, Action] = {"published": "publish", "rejected": "reject", "draft": "draft"}


class JargonDrafter(JargonRecorder):
    """Takes what is mined from the documents in as drafts, and publishes or rejects senses; each call a transaction."""

    @contextmanager
    def _changing(self, action: Action | None = None, origin: str = "") -> Iterator[Trail]:
        with writing(self._engine) as connection:
            trail = Trail(connection, self._who, action, origin)
            yield trail
            trail.flush()

    def add_candidates(self, mined: Sequence[MinedTerm]) -> int:
        """Offer mined terms as draft senses with their evidence, and return how many are new.

        Terms and extended names that differ in letter case, number or hyphens only are the same. What is published or
        was rejected is not offered again; what is a draft gains evidence.
        """
        documents = {found.document for found in mined}
        with self._changing("mine", documents.pop() if len(documents) == 1 else "") as trail:
            lock(trail.connection)
            new, touched = add_candidates(trail, mined)
            if touched:
                settle(trail.connection, [])
            return new

    def forget_document(self, document: str) -> int:
        """Forget the evidence from a document, and the mined drafts that have no other; return how many drafts went.

        A draft that somebody has edited stays.
        """
        with self._changing("forget", document) as trail:
            lock(trail.connection)
            gone, forgotten = forget_evidence(trail, document)
            if forgotten:
                settle(trail.connection, [])
            return gone

    def set_state(self, sense_id: int, state: SenseState, *, version: int | None = None) -> Sense:
        """Publish, reject or draft a sense, and return it; ``version`` as in ``change_sense``.

        Raises:
            NotFound: there is no such sense.
            Conflict: it is at another version.
            InvalidInput: there is no such state.
        """
        return self.set_states([sense_id], state, versions={} if version is None else {sense_id: version})[0]

    def set_states(
        self, sense_ids: Sequence[int], state: SenseState, *, versions: Mapping[int, int] | None = None
    ) -> tuple[Sense, ...]:
        """Publish, reject or draft senses, all or none, and return them; ``versions`` are those seen, by their ids.

        Raises:
            NotFound: one is not there.
            Conflict: one is at another version.
            InvalidInput: there is no such state.
        """
        distinct = list(dict.fromkeys(sense_ids))
        with self._changing(_ACTIONS.get(state, "edit")) as trail:
            lock(trail.connection)
            return tuple(set_states(trail, distinct, state, versions or {}))

    def choose_drafts(self, least_score: float) -> DraftChoice:
        """Say what ``publish_drafts`` would publish; nothing is changed."""
        return choose_drafts(self.candidates(), least_score)

    def publish_drafts(self, least_score: float, *, with_conflicts: bool = False) -> DraftChoice:
        """Publish the mined drafts whose best evidence scores at least ``least_score`` (in [0, 1]), all or none.

        Those that contradict a published sense, or one another, stay drafts unless ``with_conflicts`` is set.
        """
        with self._changing("publish") as trail:
            lock(trail.connection)
            choice = choose_drafts(select_candidates(trail.connection), least_score)
            chosen = (*choice.clear, *choice.conflicting) if with_conflicts else choice.clear
            set_states(trail, [candidate.sense.id for candidate in chosen], "published", {})
            return choice
