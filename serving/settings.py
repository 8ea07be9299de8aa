"""Settings in force over HTTP: every one with where it comes from, secrets masked."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict

from serving.access import RequestGuard
from serving.areas import Area
from serving.dictionary.problems import problems
from serving.dictionary.routing import guarded_router

PREFIX = "/api/settings"

SettingSource = Literal["default", "environment", "file", "argument"]


class SettingInForce(BaseModel, frozen=True):
    """A setting: its name in the file and in the environment, its value and its default, masked where secret.

    ``secret`` says that something of the value is masked.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "name": "database_url",
                    "variable": "GOLDEN_DATABASE_URL",
                    "value": "postgresql://golden:********@db/golden",
                    "default": "",
                    "source": "environment",
                    "description": "SQLAlchemy address of the database; empty: SQLite in the data folder.",
                    "secret": True,
                }
            ]
        }
    )

    name: str
    variable: str
    value: Any
    default: Any
    source: SettingSource
    description: str
    secret: bool


# Reads the settings in force. Blocking.
SettingsReader = Callable[[], Sequence[SettingInForce]]


class SettingList(BaseModel):
    """Every setting, in the order of the documentation."""

    settings: Sequence[SettingInForce]


def settings_area(read: SettingsReader, guard: RequestGuard) -> Area:
    """Return ``/api/settings``, for those who administer."""
    router: APIRouter = guarded_router(PREFIX, "settings", guard, "admin")

    @router.get("", summary="Show the settings in force", responses=problems())
    def settings() -> SettingList:
        """Show every setting with its value, its default, and where it comes from; secrets are masked.

        They are those of this server process, which read them when it started.
        """
        return SettingList(settings=read())

    return Area(routers=(router,), scoped=(PREFIX,))
