"""All routes of people's records."""

from serving.access import RequestGuard
from serving.areas import Area
from serving.records.base import RecordsDesk
from serving.records.cases import case_routes
from serving.records.cases_running import CaseRunner
from serving.records.conversations import PREFIX as CONVERSATIONS
from serving.records.conversations import conversation_routes
from serving.records.feedback import PREFIX as FEEDBACK
from serving.records.feedback import feedback_routes
from serving.records.overview import PREFIX as OVERVIEW
from serving.records.overview import overview_routes
from serving.records.review import PREFIX as REVIEW
from serving.records.review import review_routes

# A title, a note, a case: a few thousand characters, however they are escaped.
MAX_BODY_BYTES = 256 * 1024
_PREFIXES = (CONVERSATIONS, FEEDBACK, REVIEW, OVERVIEW)


def records_area(desk: RecordsDesk, runner: CaseRunner, guard: RequestGuard) -> Area:
    """Return everything below ``/api/conversations``, ``/api/feedback``, ``/api/review`` and ``/api/overview``.

    ``runner`` runs the desk's test cases; whoever made it closes it.
    """
    return Area(
        routers=(
            conversation_routes(desk, guard),
            *feedback_routes(desk, guard),
            # Before the routes of one turn: none is called "cases".
            case_routes(desk, runner, guard),
            review_routes(desk, guard),
            overview_routes(desk, guard),
        ),
        bounds=dict.fromkeys(_PREFIXES, MAX_BODY_BYTES),
        scoped=_PREFIXES,
    )
