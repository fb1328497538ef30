"""The logic of both clients, without I/O: generators that yield requests and pauses, and receive their outcomes."""

from __future__ import annotations

import json
import random
import time
import uuid as uuids
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from ._errors import EarshotConnectionError, EarshotError, EarshotTimeoutError
from ._types import JobResult, Params, SearchPage

WAIT_SECONDS = 20
PROOF_PAUSE_SECONDS = 1.0
FIRST_PAUSE_SECONDS = 0.25
MAX_PAUSE_SECONDS = 20.0
#: The service did nothing, so even a submission can be retried.
RETRYABLE_STATUSES = {408, 429, 503}


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    #: False if a retry could do something twice.
    repeatable: bool = True
    #: Time left for the call; set by the flow.
    seconds_left: float = 0.0


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class ApiResponse:
    status: int
    text: str
    retry_after: str | None


Value = TypeVar("Value")
#: The outcome of a request is an `ApiResponse` or an `EarshotConnectionError`, that of a pause None.
Flow = Generator["Request | Pause", "ApiResponse | EarshotConnectionError | None", Value]


class Flows:
    def __init__(self, max_retries: int, timeout: float) -> None:
        self._max_retries = max_retries
        self._timeout = timeout

    def search(self, params: Params, timeout: float | None, idempotency_key: str | None) -> Flow[SearchPage]:
        presentation = {name: params[name] for name in ("fields", "max_chars") if name in params}
        request = Request(
            "POST",
            f"/v1/search/{params.get('platform', 'social')}",
            body={**_submission(params), "wait": WAIT_SECONDS, **presentation},
            headers=_idempotency_header(idempotency_key),
        )
        deadline = self._deadline(timeout)
        while True:
            response = yield from self._with_retries(request, deadline)
            # The job is still running: the same idempotency key waits for it.
            if response.status != 202:
                page: SearchPage = json.loads(response.text)
                return page

    def submit(self, params: Params, timeout: float | None, idempotency_key: str | None) -> Flow[str]:
        request = Request(
            "POST",
            f"/v1/search/live/{params.get('platform', 'social')}",
            body=_submission(params),
            headers=_idempotency_header(idempotency_key),
        )
        response = yield from self._with_retries(request, self._deadline(timeout))
        return str(json.loads(response.text)["uuid"])

    def wait(self, uuid: str, timeout: float | None) -> Flow[JobResult]:
        deadline = self._deadline(timeout)
        path = f"/v1/search/live/social/result/{quote(uuid, safe='')}?wait={WAIT_SECONDS}"
        while True:
            response = yield from self._with_retries(Request("GET", path), deadline)
            if response.status == 200:
                status = yield from self._with_retries(Request("GET", _status_path(uuid)), deadline)
                return JobResult(json.loads(response.text), json.loads(status.text))

    def proof(self, uuid: str, timeout: float | None) -> Flow[dict[str, Any]]:
        deadline = self._deadline(timeout)
        path = f"/v1/search/live/social/result/{quote(uuid, safe='')}/proof"
        while True:
            response = yield from self._with_retries(Request("GET", path), deadline)
            if response.status == 200:
                proof: dict[str, Any] = json.loads(response.text)
                return proof
            yield Pause(PROOF_PAUSE_SECONDS)

    def cancel(self, uuid: str, timeout: float | None) -> Flow[None]:
        try:
            yield from self._with_retries(Request("DELETE", _status_path(uuid)), self._deadline(timeout))
        except EarshotError as error:
            # The first attempt may already have deleted it.
            if error.status != 404:
                raise

    def status(self, uuid: str, timeout: float | None) -> Flow[dict[str, Any]]:
        return self.json(Request("GET", _status_path(uuid)), timeout)

    def jobs(self, query: dict[str, Any], timeout: float | None) -> Flow[dict[str, Any]]:
        return self.json(Request("GET", f"/v1/search/live/social/jobs{_query(query)}"), timeout)

    def counts(self, platform: str, query: dict[str, Any], timeout: float | None) -> Flow[dict[str, Any]]:
        return self.json(Request("GET", f"/v1/search/{platform}/counts{_query(query)}"), timeout)

    def webhooks(self, method: str, path: Sequence[str], body: Any, repeatable: bool) -> Flow[dict[str, Any]]:
        suffix = "".join(f"/{quote(part, safe='')}" for part in path)
        return self.json(Request(method, f"/v1/webhooks{suffix}", body, repeatable=repeatable))

    def json(self, request: Request, timeout: float | None = None) -> Flow[dict[str, Any]]:
        response = yield from self._with_retries(request, self._deadline(timeout))
        body: dict[str, Any] = json.loads(response.text) if response.text else {}
        return body

    def _deadline(self, timeout: float | None) -> float:
        return time.monotonic() + (self._timeout if timeout is None else timeout)

    def _with_retries(self, request: Request, deadline: float) -> Flow[ApiResponse]:
        """Retries temporary errors."""
        attempt = 0
        while True:
            seconds_left = deadline - time.monotonic()
            if seconds_left <= 0:
                raise EarshotTimeoutError("the call took longer than its timeout")
            outcome = yield replace(request, seconds_left=seconds_left)
            if isinstance(outcome, ApiResponse) and outcome.status < 300:
                return outcome
            min_pause = 0.0
            error: Exception
            if isinstance(outcome, ApiResponse):
                error = error_of(outcome)
                min_pause = _retry_after_seconds(outcome.retry_after)
            else:
                error = outcome or EarshotConnectionError("no response")
            if attempt >= self._max_retries or not _can_repeat(error, request):
                raise error
            doubled = FIRST_PAUSE_SECONDS * 2**attempt
            pause = min(MAX_PAUSE_SECONDS, doubled) * random.uniform(0.5, 1)
            yield Pause(min(max(min_pause, pause), max(0.0, deadline - time.monotonic())))
            attempt += 1


def error_of(response: ApiResponse) -> EarshotError:
    try:
        problem = json.loads(response.text)
    except ValueError:
        problem = None
    return EarshotError(response.status, problem if isinstance(problem, dict) else {})


def _can_repeat(error: Exception, request: Request) -> bool:
    if not isinstance(error, EarshotError):
        return request.repeatable
    # The caller decides whether to submit a failed job again.
    if error.uuid is not None:
        return False
    return error.status in RETRYABLE_STATUSES or (request.repeatable and error.status >= 500)


def _retry_after_seconds(text: str | None) -> float:
    """`text` is a number of seconds or a date."""
    if text is None:
        return 0.0
    if text.isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return 0.0


def _submission(params: Params) -> dict[str, Any]:
    names = ("query", "max_results", "start_time", "end_time", "next_cursor")
    arguments = {name: params[name] for name in names if name in params}  # type: ignore[literal-required]
    method = {"type": params["method"]} if "method" in params else {}
    return {"type": params.get("platform", "social"), "arguments": {**method, **arguments}}


def _idempotency_header(key: str | None) -> dict[str, str]:
    return {"idempotency-key": key or str(uuids.uuid4())}


def _status_path(uuid: str) -> str:
    return f"/v1/search/live/social/status/{quote(uuid, safe='')}"


def _query(params: dict[str, Any]) -> str:
    present = {name: value for name, value in params.items() if value is not None}
    return f"?{urlencode(present)}" if present else ""
