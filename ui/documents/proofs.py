"""The proof that a removed document is gone, and the verification of everything."""

from contracts.documents import RemovalProof, Verification
from ui.html import Safe, element
from ui.words import Words


def render_proof(proof: RemovalProof, words: Words) -> Safe:
    """Render what was removed, and that no index holds any of it."""
    name = proof.path.rpartition("/")[2] or proof.path
    title = words("documents.proof.title" if proof.gone else "documents.proof.title_bad", name=name)
    places = (("sql", proof.left_in_sql), ("vectors", proof.left_in_vectors), ("words", proof.left_in_words))
    rows = [
        element("tr", element("th", words(f"documents.proof.{place}"), scope="row"),
                element("td", words.number(left), class_="left-over" if left else "nothing-left"))
        for place, left in places
    ]  # fmt: skip
    head = element("tr", element("th", words("documents.proof.where"), scope="col"),
                   element("th", words("documents.proof.left"), scope="col"))  # fmt: skip
    table = element("table", element("thead", head), element("tbody", *rows), class_="proof-table")
    removed = words("documents.proof.removed", chunks=words.number(proof.chunks), vectors=words.number(proof.vectors))
    return element(
        "section",
        element("h2", title, tabindex=-1, data_key="proof-title"),
        element("p", removed),
        table,
        element("p", words("documents.proof.searched", count=words.number(proof.searched_again)), class_="quiet"),
        element("ul", *(element("li", each) for each in proof.problems), class_="problems") if proof.problems else None,
        _copies(proof, words),
        class_="card proof" if proof.gone else "card proof problem",
        data_key="proof",
    )


def _copies(proof: RemovalProof, words: Words) -> Safe | None:
    if not proof.copies:
        return None
    told = [
        element("li", element("span", copy.path, class_="path"), " – ",
                words("documents.proof.copy_answers" if copy.answers else "documents.proof.copy_waits"))
        for copy in proof.copies
    ]  # fmt: skip
    return element("div", element("h3", words("documents.proof.copies")), element("ul", *told))


def render_verification(last: Verification | None, words: Words) -> Safe:
    """Render the last verification of everything, and what begins another."""
    running = last is not None and last.state == "running"
    start = element("button", words("documents.verify.start"), type="button", data_action="verify", data_key="verify",
                    disabled=running)  # fmt: skip
    return element(
        "section",
        element("h2", words("documents.verify.title")),
        element("p", words("documents.verify.lead"), class_="quiet"),
        _told(last, words),
        element("p", start),
        class_="card verify",
        data_key="verification",
    )


def _told(last: Verification | None, words: Words) -> Safe | None:
    if last is None:
        return None
    moment = words.moment(last.finished_at or last.started_at)
    if last.state == "running":
        return element("p", words("documents.verify.running", moment=moment), class_="running", role="status")
    if last.state == "failed":
        return element("p", words("documents.verify.failed", reason=last.reason), class_="bad")
    if not last.faults:
        return element("p", words("documents.verify.agrees", moment=moment), class_="good", role="status")
    faults = element("ul", *(element("li", each) for each in last.faults))
    return element("div", element("p", words("documents.verify.faults", moment=moment)), faults, class_="bad")
