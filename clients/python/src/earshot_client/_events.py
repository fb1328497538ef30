from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from ._types import JobChange

DEFAULT_RETRY_SECONDS = 3.0
FINAL_STATES = ("done", "error", "cancelled", "expired")


class EventReader:
    """Reads server-sent events line by line, and remembers where to continue."""

    def __init__(self, uuid: str | None, last_event_id: str | None) -> None:
        self._uuid = uuid
        self._last_id = last_event_id
        self._last_status: str | None = None
        self._fields: dict[str, Any] = {}
        self.retry_seconds = DEFAULT_RETRY_SECONDS

    @property
    def path(self) -> str:
        query = "" if self._uuid is None else f"?uuid={quote(self._uuid, safe='')}"
        return f"/v1/search/live/social/events{query}"

    @property
    def headers(self) -> dict[str, str]:
        resume = {} if self._last_id is None else {"last-event-id": self._last_id}
        return {"accept": "text/event-stream", **resume}

    @property
    def has_job_ended(self) -> bool:
        """Whether the watched job has ended; False if none is watched."""
        return self._uuid is not None and self._last_status in FINAL_STATES

    def reset(self) -> None:
        """Discards an incomplete event."""
        self._fields = {}

    def feed(self, line: str) -> JobChange | None:
        """Returns the event that the line completes, if any."""
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if line == "":
            return self._complete()
        if name == "retry" and value.isdigit():
            self.retry_seconds = int(value) / 1_000
        if name in ("id", "data"):
            self._fields[name] = value
        return None

    def _complete(self) -> JobChange | None:
        fields, self._fields = self._fields, {}
        self._last_id = fields.get("id", self._last_id)
        if "data" not in fields:
            return None
        change: JobChange = json.loads(fields["data"])
        self._last_status = change["status"]
        return change
