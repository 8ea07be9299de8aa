"""One document: what it is, how it was read, how its pages look, and what was made of its text."""

from contracts.documents import DocumentDetails, DocumentReport, HistoryEntry, Intake, PoorPage
from serving.documents.service import address_of
from ui.documents.intake import render_work
from ui.documents.pieces import badge, facts, section, size
from ui.html import Safe, element, link
from ui.pages import Visit
from ui.words import Words

SHOWN_PAGES = 24
_POOR_SHOWN = 20
_SMALL_PX, _LARGE_PX = 200, 800


def render_details(document: DocumentDetails, intake: Intake, visit: Visit, *, pictured: bool, first: int = 1) -> Safe:
    """Render a document; ``pictured``: there are pictures of its pages, of which ``first`` is the first one shown.

    What is under way stands below its name.
    """
    words = visit.words
    title = document.title or document.name
    back = element("button", f"← {words('documents.back')}", type="button", data_action="close", data_key="close")
    report = document.report
    return element(
        "div",
        element("p", back, class_="back"),
        element("h1", title, tabindex=-1, data_key="document"),
        element("p", badge(document.standing, words), " ", element("span", document.path, class_="path")),
        _actions(document, visit),
        render_work(intake, visit),
        _facts(document, intake, words),
        _poor(document, report, visit, pictured=pictured),
        _pages(document, visit, first) if pictured else _unpictured(document, words),
        _report(report, words) if report else None,
        _summaries(document, words),
        _terms(document, words),
        _history(document, words),
        class_="documents",
        data_key="documents",
    )


def _actions(document: DocumentDetails, visit: Visit) -> Safe | None:
    if not document.answers:
        return None
    words = visit.words
    sure = words("documents.detail.delete_sure", name=document.name)
    return element(
        "p",
        link(words("documents.open_file"), f"{visit.path(address_of(document.document_id))}/file", target="_blank",
             rel="noopener", class_="open-document"),
        element("button", words("documents.detail.delete"), type="button", class_="danger", data_action="remove",
                data_id=document.document_id, data_confirm=sure, data_key="remove"),
        class_="actions",
    )  # fmt: skip


def _facts(document: DocumentDetails, intake: Intake, words: Words) -> Safe:
    changed = document.answers and document.state == "ready"
    listed = facts(
        (words("documents.detail.pages"), words.number(document.pages) if document.pages else None),
        (words("documents.detail.size"), size(document.size_bytes, words)),
        (words("documents.detail.changed"), words.moment(document.changed_at)),
        (words("documents.detail.reason"), document.reason or None),
        (words("documents.detail.group"), None if changed else document.group),
    )
    return section(words("documents.detail.facts"), listed, _group(document, intake, words) if changed else None,
                   key="facts")  # fmt: skip


def _group(document: DocumentDetails, intake: Intake, words: Words) -> Safe:
    groups = dict.fromkeys((document.group, *intake.groups))
    options = [element("option", each, value=each, selected=each == document.group) for each in groups]
    chosen = element("label", words("documents.detail.group"), element("select", *options, name="group"))
    new = element("label", words("documents.intake.new_group"),
                  element("input", type="text", name="new_group", maxlength=64, autocomplete="off"))  # fmt: skip
    change = element("button", words("documents.detail.change_group"), type="button", data_action="regroup",
                     data_id=document.document_id, data_submit=True, data_key="regroup")  # fmt: skip
    return element(
        "div", chosen, new if intake.any_group else None, change, class_="toolbar regroup", data_form="group"
    )


def _poor(document: DocumentDetails, report: DocumentReport | None, visit: Visit, *, pictured: bool) -> Safe | None:
    words = visit.words
    if report is None or not document.answers:
        return None
    if not report.poor_pages:
        good = element("p", words("documents.detail.no_poor"), class_="good")
        return section(words("documents.detail.poor"), good, key="poor") if report.ocr_pages else None
    shown = [_poor_page(document, each, visit, pictured=pictured) for each in report.poor_pages[:_POOR_SHOWN]]
    left = len(report.poor_pages) - _POOR_SHOWN
    more = (
        element("p", words("documents.work.left_out", count=words.number(left)), class_="quiet") if left > 0 else None
    )
    return section(words("documents.detail.poor"), element("ul", *shown, class_="poor-pages"), more, key="poor")


def _poor_page(document: DocumentDetails, poor: PoorPage, visit: Visit, *, pictured: bool) -> Safe:
    words = visit.words
    picture = None
    if pictured:
        alt = words("documents.detail.poor_picture", page=poor.page)
        image = element("img", src=_picture(document, poor.page, _LARGE_PX, visit), alt=alt, loading="lazy",
                        width=_LARGE_PX)  # fmt: skip
        picture = link(image, f"{visit.path(address_of(document.document_id))}/file#page={poor.page}", target="_blank",
                       rel="noopener", class_="poor-picture")  # fmt: skip
    if poor.confidence is None:
        sure = words("documents.detail.no_confidence")
    else:
        sure = words("documents.detail.confidence", percent=words.percent(poor.confidence))
    told = element("div", element("h3", words("documents.detail.poor_page", page=poor.page)),
                   element("p", poor.reason, class_="reason"), element("p", sure, class_="quiet"))  # fmt: skip
    return element("li", told, picture, data_key=f"poor-{poor.page}")


def _pages(document: DocumentDetails, visit: Visit, first: int) -> Safe:
    words = visit.words
    first = min(max(1, first), max(1, document.pages))
    last = min(document.pages, first + SHOWN_PAGES - 1)
    shown = []
    for page in range(first, last + 1):
        alt = words("documents.detail.thumbnail", page=page)
        image = element("img", src=_picture(document, page, _SMALL_PX, visit), alt=alt, loading="lazy", width=_SMALL_PX)
        address = f"{visit.path(address_of(document.document_id))}/file#page={page}"
        shown.append(
            element("li", link(image, address, target="_blank", rel="noopener"),
                    element("span", words.number(page), class_="number", aria_hidden="true"), data_key=f"page-{page}")
        )  # fmt: skip
    turns = [_turn(at, document, words) for at in (max(1, first - SHOWN_PAGES), last + 1)
             if at <= document.pages and not first <= at <= last]  # fmt: skip
    turning = element("p", *turns, class_="turning") if turns else None
    return section(words("documents.detail.look"), element("ul", *shown, class_="thumbnails"), turning, key="pages")


def _turn(first: int, document: DocumentDetails, words: Words) -> Safe:
    name = words("documents.detail.more_pages", first=first, last=min(document.pages, first + SHOWN_PAGES - 1))
    return element("button", name, type="button", data_action="pages", data_first=first, data_key=f"pages-{first}")


def _picture(document: DocumentDetails, page: int, width: int, visit: Visit) -> str:
    own = visit.path(address_of(document.document_id))
    return f"{own}/pages/{page}/picture?v={document.content_hash[:12]}&width={width}"


def _unpictured(document: DocumentDetails, words: Words) -> Safe | None:
    return element("p", words("documents.detail.no_pictures"), class_="quiet") if document.answers else None


def _report(report: DocumentReport, words: Words) -> Safe:
    name = "documents.detail."
    phases = ", ".join(
        f"{words(f'documents.phase.{phase}') if words.knows(f'documents.phase.{phase}') else phase} "
        f"{words.seconds(1_000 * seconds)}"
        for phase, seconds in report.phases.items()
    )
    took = words.seconds(1_000 * report.seconds) + (f" ({phases})" if phases else "")
    listed = facts(
        (words(f"{name}by_text"), words.number(max(0, report.pages - report.ocr_pages))),
        (words(f"{name}by_ocr"), words.number(report.ocr_pages)),
        (words(f"{name}tables"), words.number(report.tables)),
        (words(f"{name}chunks"), words.number(report.chunks)),
        (words(f"{name}mined"), words.number(report.mined_terms)),
        (words(f"{name}took"), took),
    )
    warned = [element("li", each) for each in report.warnings]
    warnings = [element("h3", words(f"{name}warnings")), element("ul", *warned)] if warned else []
    return section(words(f"{name}report"), listed, *warnings, key="report")


def _summaries(document: DocumentDetails, words: Words) -> Safe | None:
    if not document.summaries:
        return None
    shown = [
        element("div", element("h3", f"{each.heading or document.title or document.name} · "
                               f"{words('documents.detail.on_page', page=each.page)}"),
                element("p", each.text, class_="summary-text"))
        for each in document.summaries
    ]  # fmt: skip
    return _folded(words("documents.detail.summaries"), len(shown), *shown, key="summaries", words=words)


def _terms(document: DocumentDetails, words: Words) -> Safe | None:
    if not document.terms:
        return None
    name = "documents.detail."
    head = [element("th", words(f"{name}{each}"), scope="col") for each in ("term", "meaning", "evidence")]
    rows = [
        element("tr", element("th", each.term, scope="row"), element("td", each.extended_name),
                element("td", each.evidence, " ", element("span", words(f"{name}on_page", page=each.page),
                                                          class_="quiet")))
        for each in document.terms
    ]  # fmt: skip
    return _folded(words(f"{name}terms"), len(rows), _table(head, rows), key="terms", words=words)


def _history(document: DocumentDetails, words: Words) -> Safe:
    name = "documents.detail."
    head = [element("th", words(f"{name}{each}"), scope="col") for each in ("when", "outcome", "what")]
    rows = [_entry(each, words) for each in reversed(document.history)]
    return _folded(words(f"{name}history"), len(rows), _table(head, rows), key="history", words=words)


def _entry(entry: HistoryEntry, words: Words) -> Safe:
    name = f"documents.outcome.{entry.outcome}"
    outcome = words(name) if words.knows(name) else entry.outcome
    pages = words.count("documents.page_count", entry.report.pages) if entry.report.pages else ""
    told = " · ".join(each for each in (entry.reason, pages) if each)
    return element("tr", element("td", words.moment(entry.finished_at)), element("td", outcome), element("td", told))


def _table(head: list[Safe], rows: list[Safe]) -> Safe:
    table = element("table", element("thead", element("tr", *head)), element("tbody", *rows))
    return element("div", table, class_="table-scroll", tabindex=0)


def _folded(title: str, count: int, *children: Safe, key: str, words: Words) -> Safe:
    summary = element("summary", f"{title} ", element("span", words.number(count), class_="count"))
    return element("details", summary, *children, class_="card folded", data_key=key)
