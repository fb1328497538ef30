from __future__ import annotations

from typing import Any


class EarshotError(Exception):
    """An error response of the service. `code` is stable; `errors` locates errors in arguments and queries."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        detail = problem.get("detail") or f"{problem.get('title', 'Request failed')} (status {status})"
        self.hint: str | None = problem.get("hint")
        super().__init__(". ".join(part for part in (detail, self.hint) if part))
        self.status = status
        self.code: str = problem.get("code", "unknown")
        self.retryable: bool = problem.get("retryable", False)
        self.request_id: str | None = problem.get("request_id")
        self.errors: list[dict[str, Any]] = problem.get("errors") or []
        #: The job that failed; None if none was submitted.
        self.uuid: str | None = problem.get("uuid") or None


class EarshotConnectionError(Exception):
    """The service could not be reached."""


class EarshotTimeoutError(Exception):
    """The call took longer than its timeout."""
