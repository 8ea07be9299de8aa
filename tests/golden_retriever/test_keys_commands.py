"""API keys from the command line: made, shown once, listed, revoked."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from contracts.errors import Conflict, InvalidInput, NotFound
from contracts.keys import ApiKey
from golden_retriever.settings import load_settings
from golden_retriever.wiring import open_keys
from library.keys import is_key
from tests.golden_retriever.commands import Commands
from tests.golden_retriever.served import environment_for, golden, serving, wait_for

pytestmark = pytest.mark.usefixtures("folder")

KEYS = Commands("keys")
succeeds, fails = KEYS.output, KEYS.fails


def records() -> Sequence[ApiKey]:
    with open_keys(load_settings()) as store:
        return store.records()


def test_created_key_is_shown_once_and_keeps_its_options() -> None:
    options = ["--scope", "ask", "--scope", "manage", "--group", "lab", "--department", "Memory"]
    created = KEYS.succeeds("create", "curator", *options, "--expires", "2101-01-31")
    # The key alone goes to standard output: KEY=$(golden keys create curator).
    key = created.stdout.rstrip("\n")
    assert is_key(key)
    assert "It is the first" in created.stderr
    assert key not in created.stderr
    assert "already exists: revoke it first" in fails(Conflict, "create", "Curator")
    (made,) = records()
    assert (made.department, made.created_by) == ("Memory", "Ada")
    assert made.expires_at == datetime(2101, 1, 31, 23, 59, 59, 999_999, UTC)
    line = succeeds("list")
    assert line.split("  ", 1)[1] == (
        "curator  active  ask, manage  groups lab  expires 2101-01-31 23:59 UTC  never used\n"
    )
    assert key[3:] not in line


def test_revoked_key_is_no_longer_listed() -> None:
    succeeds("create", "bot", "--all-groups")
    assert "groups all  no expiry  never used" in succeeds("list")
    assert succeeds("revoke", "bot").startswith("revoked bot (")
    assert succeeds("list") == ""
    assert "bot  revoked  ask  groups all" in succeeds("list", "--revoked")
    assert [each.revoked_by for each in records()] == ["Ada"]
    assert "was already revoked on" in fails(Conflict, "revoke", "bot")
    assert "golden keys list" in fails(NotFound, "revoke", "nobody")


def test_expiry_can_be_days_and_groups_some_or_all(subtests: pytest.Subtests) -> None:
    fails(InvalidInput, "create", "bot", "--group", "lab", "--all-groups")
    assert "ask, manage, admin" in fails(InvalidInput, "create", "bot", "--scope", "root")
    before, span = datetime.now(UTC), timedelta(days=30)
    succeeds("create", "bot", "--expires", "30D")
    (made,) = records()
    assert before + span <= made.expires_at <= datetime.now(UTC) + span
    succeeds("revoke", "bot")
    for expiry in ["", "soon", "30", "-3d", "2027-13-01", "9999999999d", "2001-01-01", "0d"]:
        with subtests.test(expiry=expiry):
            assert "expire" in fails(InvalidInput, "create", "bot", f"--expires={expiry}")
            assert succeeds("list") == ""


@pytest.mark.slow
def test_first_key_makes_a_running_server_require_keys(tmp_path: Path) -> None:
    environment = environment_for(tmp_path / "data")
    with serving(tmp_path, environment) as server:
        models = f"{server.address}/v1/models"
        assert httpx.get(models).status_code == 200
        key = golden("keys", "create", "first", environment=environment, folder=tmp_path).stdout.strip()
        wait_for(lambda: httpx.get(models).status_code == 401)
        assert httpx.get(models).json()["error"]["code"] == "missing_api_key"
        assert httpx.get(models, headers={"authorization": f"Bearer {key}"}).status_code == 200
        golden("keys", "revoke", "first", environment=environment, folder=tmp_path)
        assert httpx.get(models).status_code == 401, "access does not become open again"
