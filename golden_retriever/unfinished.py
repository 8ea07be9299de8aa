"""Unfinished ingestions: what a server that stops had taken, the next one on its data folder takes up."""

import dataclasses
import json
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from contracts.errors import GoldenError
from golden_retriever.settings import Settings

if TYPE_CHECKING:
    from golden_retriever.wiring import Application

_log = structlog.get_logger(__name__)


def keep_unfinished(application: "Application") -> int:
    """Write down the ingestions that run or wait, and return how many; called before they are stopped.

    They are kept in the data folder, since what they read lies on this machine, too.
    """
    orders = [job.order for job in application.jobs.jobs() if not job.is_over]
    values = [dataclasses.asdict(order) | {"paths": [str(path) for path in order.paths]} for order in orders]
    place = _folder(application.settings) / uuid.uuid4().hex
    try:
        if values:
            place.parent.mkdir(exist_ok=True)
            place.write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8")
            place.rename(place.with_suffix(".json"))
    except OSError as error:
        _log.warning("unfinished ingestions are not taken up again", reason=str(error), number=len(orders))
    return len(orders)


def resume_unfinished(application: "Application") -> int:
    """Take up what an earlier server left, and return how many; of several processes each takes others.

    What was stored already is passed over, file by file.
    """
    from ingestion.jobs import JobOrder

    resumed = 0
    for place in sorted(_folder(application.settings).glob("*.json")):
        try:
            orders = json.loads(place.read_text(encoding="utf-8"))
            # Whoever takes the file away has the orders.
            place.unlink()
            for values in orders if isinstance(orders, list) else [orders]:
                paths = tuple(Path(path) for path in values["paths"])
                application.jobs.submit(JobOrder(**{**values, "paths": paths}))
                resumed += 1
        except FileNotFoundError:
            continue
        except (OSError, ValueError, TypeError, KeyError, GoldenError) as error:
            _log.warning("unfinished ingestions cannot be taken up again", file=str(place), reason=str(error))
    if resumed:
        _log.info("unfinished ingestions are taken up again", number=resumed)
    return resumed


def _folder(settings: Settings) -> Path:
    return settings.data_dir / "unfinished"
