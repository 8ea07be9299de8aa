"""Store the documents of a test case's answer, and the report of an ingestion, as JSON; drop unused columns."""

from alembic import op
from sqlalchemy import JSON, Column, column, select, table, text

revision = "library_0015"
down_revision = "library_0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = op.get_bind()
    op.add_column("case_results", Column("documents", JSON, nullable=False, server_default="{}"))
    results = table("case_results", column("run_id"), column("case_id"), column("documents", JSON))
    quoted: dict[tuple[str, str], dict[str, str | None]] = {}
    for run_id, case_id, document_id, group in connection.execute(
        text("SELECT run_id, case_id, document_id, access_group FROM case_result_documents")
    ):
        quoted.setdefault((run_id, case_id), {})[document_id] = group
    for (run_id, case_id), documents in quoted.items():
        mine = (results.c.run_id == run_id) & (results.c.case_id == case_id)
        connection.execute(results.update().where(mine).values(documents=documents))
    op.drop_table("case_result_documents")
    ingestions = table("ingestions", column("number"), column("report", JSON), column("seconds"))
    for number, report, seconds in connection.execute(select(ingestions)).all():
        poor = [{"page": page, "reason": why, "confidence": mean} for page, why, mean in report.get("poor_pages", ())]
        whole = {**report, "poor_pages": poor, "seconds": seconds}
        connection.execute(ingestions.update().where(ingestions.c.number == number).values(report=whole))
    unused = {
        "ingestions": ("seconds", "phases"),
        "turn_documents": ("cited",),
        "case_runs": ("stopping",),
        "ingestion_jobs": ("check_content",),
    }
    for name, columns in unused.items():
        for each in columns:
            op.drop_column(name, each)
