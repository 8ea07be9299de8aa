import pytest
from sqlalchemy import Engine

from contracts.question import SuggestedQuestion, SuggestionKind
from library.store import LibraryStore
from library.suggested_questions import SuggestedQuestionStore
from tests.library.samples import Put


@pytest.fixture
def offered(engine: Engine) -> SuggestedQuestionStore:
    return SuggestedQuestionStore(engine)


def about(subject: str, kind: SuggestionKind = "cell", certainty: float = 0.8) -> SuggestedQuestion:
    return SuggestedQuestion(text=f"What is {subject}?", kind=kind, subject=subject, certainty=certainty)


def test_questions_go_with_their_document_and_with_its_former_version(
    store: LibraryStore, offered: SuggestedQuestionStore, put: Put
) -> None:
    first, second = put("a.txt", "one"), put("b.txt", "two")
    assert offered.unchecked(10) == (first, second)
    offered.keep(first, [about("flow")])
    offered.keep(first, [about("too late")])
    offered.keep(second, [])
    assert (offered.unchecked(10), offered.examples()) == ((), ("What is flow?",))

    changed = put("a.txt", "another", version="2")
    offered.keep(first, [about("flow")])
    assert (offered.unchecked(10), offered.examples()) == ((changed,), ())
    offered.keep(changed, [about("level")])
    store.delete_document(changed.id)
    assert offered.of_documents([changed.id, second.id]) == ()
    offered.keep(changed, [about("level")])
    assert offered.examples() == ()


def test_examples_are_of_several_documents_kinds_and_subjects(offered: SuggestedQuestionStore, put: Put) -> None:
    for name in ("a", "b", "c"):
        rows = [about(f"{name}{number}", certainty=0.99) for number in range(4)]
        offered.keep(put(f"{name}.txt", name), [about("PLR", "term"), about(f"Steps of {name}", "procedure"), *rows])
    assert offered.examples() == ("What is a0?", "What is PLR?", "What is Steps of c?", "What is a1?")


def test_only_documents_that_one_may_read_are_offered(offered: SuggestedQuestionStore, put: Put) -> None:
    secret, plain = put("a.txt", "one", group="board"), put("b.txt", "two")
    offered.keep(secret, [about("the merger")])
    offered.keep(plain, [about("lunch")])
    everyone = frozenset({"everyone"})
    assert offered.examples(everyone) == ("What is lunch?",)
    assert [each.subject for each in offered.of_documents([secret.id, plain.id], everyone)] == ["lunch"]
    assert offered.examples(frozenset()) == ()
