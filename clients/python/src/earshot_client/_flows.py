"""Flows without input and output, which both clients share: generators of requests and pauses that receive the outcomes."""

from __future__ import annotations

import json
import random
import time
import uuid as uuids
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from ._errors import EarshotConnectionError, EarshotError, EarshotTimeoutError
from ._types import JobResult, Params, SearchPage

WAIT_SECONDS = 20
PROOF_PAUSE_SECONDS = 1.0
FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 20.0
#: The service did nothing, so that even a submission can be repeated.
REFUSED = {408, 429, 503}


@dataclass(frozen=True)
class Send:
    method: str
    path: str
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    #: False if a repeat would do something twice.
    repeatable: bool = True
    #: Set by the flow: what is left of the call's time, in seconds.
    seconds_left: float = 0.0


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Answer:
    status: int
    text: str
    retry_after: str | None


Value = TypeVar("Value")
#: A request receives an `Answer` or an `EarshotConnectionError`, a pause None.
Flow = Generator["Send | Pause", "Answer | EarshotConnectionError | None", Value]


class Flows:
    def __init__(self, max_retries: int, timeout: float) -> None:
        self._max_retries = max_retries
        self._timeout = timeout

    def search(self, params: Params, timeout: float | None, idempotency_key: str | None) -> Flow[SearchPage]:
        presentation = {name: params[name] for name in ("fields", "max_chars") if name in params}
        send = Send(
            "POST",
            f"/v1/search/{params.get('platform', 'social')}",
            body={**_submission(params), "wait": WAIT_SECONDS, **presentation},
            headers=_idempotent(idempotency_key),
        )
        deadline = self._deadline(timeout)
        while True:
            answer = yield from self._sent(send, deadline)
            # The job is still running: the same idempotency key waits for it.
            if answer.status != 202:
                page: SearchPage = json.loads(answer.text)
                return page

    def submit(self, params: Params, timeout: float | None, idempotency_key: str | None) -> Flow[str]:
        send = Send(
            "POST",
            f"/v1/search/live/{params.get('platform', 'social')}",
            body=_submission(params),
            headers=_idempotent(idempotency_key),
        )
        answer = yield from self._sent(send, self._deadline(timeout))
        return str(json.loads(answer.text)["uuid"])

    def wait(self, uuid: str, timeout: float | None) -> Flow[JobResult]:
        deadline = self._deadline(timeout)
        path = f"/v1/search/live/social/result/{quote(uuid, safe='')}?wait={WAIT_SECONDS}"
        while True:
            answer = yield from self._sent(Send("GET", path), deadline)
            if answer.status == 200:
                status = yield from self._sent(Send("GET", _status_path(uuid)), deadline)
                return JobResult(json.loads(answer.text), json.loads(status.text))

    def proof(self, uuid: str, timeout: float | None) -> Flow[dict[str, Any]]:
        deadline = self._deadline(timeout)
        path = f"/v1/search/live/social/result/{quote(uuid, safe='')}/proof"
        while True:
            answer = yield from self._sent(Send("GET", path), deadline)
            if answer.status == 200:
                proof: dict[str, Any] = json.loads(answer.text)
                return proof
            yield Pause(PROOF_PAUSE_SECONDS)

    def cancel(self, uuid: str, timeout: float | None) -> Flow[None]:
        try:
            yield from self._sent(Send("DELETE", _status_path(uuid)), self._deadline(timeout))
        except EarshotError as error:
            # A retry finds that the first attempt deleted it.
            if error.status != 404:
                raise

    def status(self, uuid: str, timeout: float | None) -> Flow[dict[str, Any]]:
        return self.json(Send("GET", _status_path(uuid)), timeout)

    def jobs(self, query: dict[str, Any], timeout: float | None) -> Flow[dict[str, Any]]:
        return self.json(Send("GET", f"/v1/search/live/social/jobs{_query(query)}"), timeout)

    def counts(self, platform: str, query: dict[str, Any], timeout: float | None) -> Flow[dict[str, Any]]:
        return self.json(Send("GET", f"/v1/search/{platform}/counts{_query(query)}"), timeout)

    def webhooks(self, method: str, path: Sequence[str], body: Any, repeatable: bool) -> Flow[dict[str, Any]]:
        written = "".join(f"/{quote(part, safe='')}" for part in path)
        return self.json(Send(method, f"/v1/webhooks{written}", body, repeatable=repeatable))

    def json(self, send: Send, timeout: float | None = None) -> Flow[dict[str, Any]]:
        answer = yield from self._sent(send, self._deadline(timeout))
        body: dict[str, Any] = json.loads(answer.text) if answer.text else {}
        return body

    def _deadline(self, timeout: float | None) -> float:
        return time.monotonic() + (self._timeout if timeout is None else timeout)

    def _sent(self, send: Send, deadline: float) -> Flow[Answer]:
        """Retries temporary errors."""
        attempt = 0
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise EarshotTimeoutError("the time of the call is over")
            outcome = yield Send(send.method, send.path, send.body, send.headers, send.repeatable, left)
            if isinstance(outcome, Answer) and outcome.status < 300:
                return outcome
            least = 0.0
            error: Exception
            if isinstance(outcome, Answer):
                error = refusal(outcome)
                least = _retry_after_seconds(outcome.retry_after)
            else:
                error = outcome or EarshotConnectionError("no answer")
            if attempt >= self._max_retries or not _can_repeat(error, send):
                raise error
            doubled = FIRST_PAUSE_SECONDS * 2**attempt
            pause = min(LONGEST_PAUSE_SECONDS, doubled) * random.uniform(0.5, 1)
            yield Pause(min(max(least, pause), max(0.0, deadline - time.monotonic())))
            attempt += 1


def refusal(answer: Answer) -> EarshotError:
    try:
        problem = json.loads(answer.text)
    except ValueError:
        problem = None
    return EarshotError(answer.status, problem if isinstance(problem, dict) else {})


def _can_repeat(error: Exception, send: Send) -> bool:
    if not isinstance(error, EarshotError):
        return send.repeatable
    # The caller decides whether to submit a failed job again.
    if error.uuid is not None:
        return False
    return error.status in REFUSED or (send.repeatable and error.status >= 500)


def _retry_after_seconds(text: str | None) -> float:
    """In seconds, or a date."""
    if text is None:
        return 0.0
    if text.isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return 0.0


def _submission(params: Params) -> dict[str, Any]:
    kept = ("query", "max_results", "start_time", "end_time", "next_cursor")
    arguments = {name: params[name] for name in kept if name in params}  # type: ignore[literal-required]
    method = {"type": params["method"]} if "method" in params else {}
    return {"type": params.get("platform", "social"), "arguments": {**method, **arguments}}


def _idempotent(key: str | None) -> dict[str, str]:
    return {"idempotency-key": key or str(uuids.uuid4())}


def _status_path(uuid: str) -> str:
    return f"/v1/search/live/social/status/{quote(uuid, safe='')}"


def _query(given: dict[str, Any]) -> str:
    known = {name: value for name, value in given.items() if value is not None}
    return f"?{urlencode(known)}" if known else ""
