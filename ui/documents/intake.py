"""Where files are dropped and chosen, and where what is under way is shown: the page's own script fills it."""

import json

from contracts.documents import Intake
from serving.documents.service import PREFIX
from ui.documents.pieces import size
from ui.html import Safe, element
from ui.pages import Visit
from ui.words import Words

# What the script says, by its name in ``documents.work``.
_SAID = (
    "uploading", "uploaded", "sending", "sent", "not_sent", "too_large", "empty", "bad_name", "wrong_kind", "refused",
    "nothing", "cancel", "close", "queued", "running", "done", "failed", "cancelled", "files_of", "speed",
    "left_s", "left_min", "current", "current_pages", "ended", "failures", "finished", "connection", "upload_lost",
    "left_out", "ingested", "unchanged", "moved", "regrouped", "duplicate", "skipped", "removed", "file_failed",
    "finding", "reading", "enriching", "embedding", "storing", "phase_done",
)  # fmt: skip


def render_intake(intake: Intake, visit: Visit) -> Safe:
    """Render the place to drop files at, for one of the groups that they may write to."""
    words = visit.words
    formats = " ".join(intake.suffixes)
    limits = words("documents.intake.limits", suffixes=formats, size=size(intake.max_bytes, words))
    choose = element(
        "p",
        element("span", words("documents.intake.or_choose"), class_="quiet"),
        element("button", words("documents.intake.files"), type="button", data_pick="files", class_="primary"),
        element("button", words("documents.intake.folder"), type="button", data_pick="folder"),
        class_="choose",
    )
    drop = element("div", element("p", words("documents.intake.drop"), class_="big"), choose,
                   class_="drop", data_drop=True)  # fmt: skip
    explained = element("details", element("summary", words("documents.intake.formats")),
                        element("p", limits, class_="quiet"), data_key="formats")  # fmt: skip
    return element(
        "section",
        element("h2", words("documents.intake.title")),
        element("div", drop, _group(intake, words), class_="intake-row"),
        explained,
        class_="card intake",
        data_key="intake",
        data_intake=True,
    )


def render_work(intake: Intake, visit: Visit) -> Safe:
    """Render the place that the script fills with what is under way, and what the script must know."""
    words = visit.words
    return element(
        "div",
        class_="work",
        role="region",
        aria_label=words("documents.work.title"),
        data_own=True,
        data_key="work",
        data_upload=visit.path(PREFIX),
        data_jobs=visit.path(f"{PREFIX}/jobs"),
        data_prefix=visit.prefix,
        data_suffixes=" ".join(intake.suffixes),
        data_bytes=intake.max_bytes,
        data_files=intake.max_files,
        data_size=size(intake.max_bytes, words),
        data_words=json.dumps({name: words(f"documents.work.{name}") for name in _SAID}, ensure_ascii=False),
    )


def _group(intake: Intake, words: Words) -> Safe:
    options = [element("option", group, value=group, selected=not at) for at, group in enumerate(intake.groups)]
    chosen = element(
        "label", words("documents.intake.group"), element("select", *options, name="group", data_group=True)
    )
    new = None
    if intake.any_group:
        field = element("input", type="text", name="new_group", maxlength=64, autocomplete="off", data_new_group=True)
        new = element("label", words("documents.intake.new_group"), field)
    return element("div", chosen, new, class_="groups")
