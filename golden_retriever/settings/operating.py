"""Settings of operation: the log, metrics, traces, how many processes, and how the server stops."""

from typing import Literal

from pydantic import BaseModel, Field, SecretStr, field_validator


class OperatingSettings(BaseModel):
    """How the server is watched, how many processes it runs, and how it stops."""

    server_workers: int = Field(1, ge=1, le=256, description="Processes that answer requests on the server's port.")
    shutdown_grace_s: float = Field(
        30.0,
        ge=0,
        le=3_600,
        description="How long the answers under way may take once the server is told to stop, in seconds.",
    )
    shutdown_delay_s: float = Field(
        0.0,
        ge=0,
        le=600,
        description="How long requests are still taken once the server is told to stop, its /readyz telling balancers "
        "to send no more, in seconds.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="From which severity on the server logs; libraries are heard from warning on."
    )
    log_format: Literal["", "json", "text"] = Field(
        "", description="How the server logs; empty: text on a terminal, else JSON, a line each."
    )
    metrics_access: Literal["admin", "open"] = Field(
        "admin",
        description="Who reads /metrics where keys are asked for: who brings one of scope admin (or "
        "GOLDEN_METRICS_TOKEN), or anybody.",
    )
    metrics_token: SecretStr = Field(
        SecretStr(""), description="A bearer token that opens /metrics and nothing else; empty: none."
    )
    otlp_endpoint: str = Field(
        "",
        description="Where traces are sent to by OTLP over HTTP, such as http://collector:4318 (extra telemetry); "
        "empty: nowhere.",
    )

    @field_validator("otlp_endpoint")
    @classmethod
    def _collector_has_a_scheme(cls, value: str) -> str:
        address = value.strip().rstrip("/")
        if address and not address.startswith(("http://", "https://")):
            raise ValueError("must begin with http:// or https://")
        return address
