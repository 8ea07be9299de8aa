"""Switches off the telemetry of libraries, so that none reports the use of this program to its maker."""

import os

# Each library reads these variables when it is loaded. From version 1.29 on, ONNX Runtime sends events to its maker,
# even on Linux, and stores an identifier of the machine; the other libraries send usage data.
_OFF = {
    "ORT_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "RAY_USAGE_STATS_ENABLED": "0",
    "GRADIO_ANALYTICS_ENABLED": "False",
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
}


def refuse_telemetry() -> None:
    """Keep the libraries in this process and its child processes from sending data; existing values are not changed.

    Call this function before any of the libraries is loaded.
    """
    for name, value in _OFF.items():
        os.environ.setdefault(name, value)
