"""What waits for the dictionary's manager: drafts to publish or reject, and the queue of unknown terms."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from contracts.errors import InvalidInput
from golden_retriever.cli.jargon_rendering import dictionary, line_of, print_beside, print_candidate, print_json

if TYPE_CHECKING:
    from contracts.dictionary import SenseEntry, UnknownTerm
    from jargon_db.store import JargonStore

_NEAR_SHOWN = 3

_Numbers = Annotated[
    list[int] | None,
    typer.Argument(
        metavar="[NUMBER]...", help="Numbers of meanings, as `golden jargon list --state draft` shows them."
    ),
]


def publish(
    numbers: _Numbers = None,
    min_score: Annotated[
        float | None, typer.Option(min=0, max=1, help="Every mined draft whose best evidence scores so much.")
    ] = None,
    with_conflicts: Annotated[
        bool, typer.Option("--with-conflicts", help="With --min-score: those that contradict a meaning, too.")
    ] = False,
    preview: Annotated[
        bool, typer.Option("--preview", help="Show what would be published, and change nothing.")
    ] = False,
) -> None:
    """Publish drafts (terms that were mined from the documents), all that are named or none.

    With --min-score, drafts that contradict a published meaning, or one another, are named and stay drafts.
    """
    if bool(numbers) == (min_score is not None):
        raise InvalidInput("Name the meanings to publish by their numbers, or give --min-score.", field="number")
    with dictionary() as store:
        if min_score is not None:
            _publish_by_score(store, min_score, with_conflicts, preview)
            return
        chosen: Sequence[SenseEntry] = [store.entry(number) for number in numbers or ()]
        if not preview:
            chosen = store.set_states(numbers or (), "published").items
        for sense in chosen:
            typer.echo(f"{'would publish' if preview else 'published'} {line_of(sense).strip()}")
            print_beside([each for each in store.senses(term=sense.term, state="published") if each.id != sense.id])


def reject(numbers: _Numbers = None) -> None:
    """Reject drafts, all that are named or none; they are not offered again."""
    if not numbers:
        raise InvalidInput("Name the meanings to reject by their numbers.", field="number")
    with dictionary() as store:
        for sense in store.set_states(numbers, "rejected").items:
            typer.echo(f"rejected {line_of(sense).strip()}")


def queue(
    limit: Annotated[int, typer.Option(min=1, help="How many terms to list.")] = 20,
    dismiss: Annotated[str | None, typer.Option(metavar="TERM", help="Take this term off the queue.")] = None,
    redact: Annotated[
        bool, typer.Option("--redact", help="Forget every kept question, also those of corrected readings.")
    ] = False,
) -> None:
    """List the unknown terms that people asked about, most asked first, each with the command that adds it.

    A term leaves the queue when it is added. GOLDEN_KEEP_QUESTIONS=false keeps no questions from then on.
    """
    if dismiss is not None and redact:
        raise InvalidInput("Give --dismiss or --redact, not both.", field="redact")
    with dictionary() as store:
        if redact:
            typer.echo(f"forgot {store.redact_questions()} questions; terms and counts stay")
            return
        if dismiss is not None:
            store.dismiss_unknown(dismiss)
            typer.echo(f"dismissed {dismiss}")
            return
        waiting = store.unknown_terms()
        near = _near_spellings(store, [each.term for each in waiting[:limit]])
        known = [each.name for each in store.contexts()]
    for each in waiting[:limit]:
        _print_unknown(each, near[each.term], known)
    if len(waiting) > limit:
        typer.echo(f"and {len(waiting) - limit} more: golden jargon queue --limit {len(waiting)}")


def _publish_by_score(store: "JargonStore", least: float, with_conflicts: bool, preview: bool) -> None:
    choice = (store.choose_drafts if preview else store.publish_drafts)(least, with_conflicts=with_conflicts)
    chosen, kept = choice.published, choice.kept
    for candidate in chosen:
        typer.echo(f"{'would publish' if preview else 'published'} {line_of(candidate.sense).strip()}")
        print_beside(candidate.conflicts)
    for candidate in kept:
        typer.echo(f"stays a draft: {line_of(candidate.sense).strip()}")
        print_beside(candidate.conflicts)
    done = "would be published" if preview else "published"
    typer.echo(f"{len(chosen)} {done}" + (f", {len(kept)} contradict others (--with-conflicts)" if kept else ""))


def print_drafts(store: "JargonStore", context: str | None, as_json: bool) -> None:
    """Print the drafts, best evidence first: score, version, evidence, and the published meanings beside each."""
    from jargon_db.normalization import fold

    drafts = [each for each in store.candidates() if context is None or fold(each.sense.context) == fold(context)]
    if as_json:
        rows = [
            {
                **each.sense.sense.model_dump(),
                "version": each.sense.version,
                **each.model_dump(include={"score", "evidence", "conflicts"}),
            }
            for each in drafts
        ]
        print_json(rows)
        return
    for each in drafts:
        print_candidate(each)


def _near_spellings(store: "JargonStore", unknown: Sequence[str]) -> dict[str, list[str]]:
    """Return the spellings of the dictionary and of the documents that are near to each unknown term."""
    if not unknown:
        return {}
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library
    from serving.dictionary.documents import near_spellings

    with open_library(load_settings()) as library:
        found = near_spellings(store, library, unknown, _NEAR_SHOWN)
        return {term: list(near) for term, near in found.items()}


def _print_unknown(unknown: "UnknownTerm", near: Sequence[str], contexts: Sequence[str]) -> None:
    place = f" [{unknown.context}]" if unknown.context else ""
    asked = f": {unknown.last_question}" if unknown.last_question else ""
    typer.echo(
        f"{unknown.count:>5}  {unknown.term}{place}  last asked {unknown.last_asked_at:%Y-%m-%d %H:%M} UTC{asked}"
    )
    if near:
        typer.echo(f"         near: {', '.join(near)}")
    bound = f" --context {shlex.quote(unknown.context)}" if unknown.context in contexts else ""
    typer.echo(f"         add it: golden jargon add {shlex.quote(unknown.term)} '...'{bound}")
