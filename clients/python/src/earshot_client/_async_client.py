# Generated from _client.py by generate_async.py.
from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from types import TracebackType
from typing import Any, TypeVar, Unpack

import httpx

from ._errors import EarshotConnectionError
from ._events import EventReader
from ._flows import ApiResponse, Flow, Flows, Pause, Request, error_of
from ._types import JobChange, JobResult, Params, Record, SearchPage

Value = TypeVar("Value")


class AsyncEarshot:
    """Like `Earshot`, with coroutines. Retries temporary errors; an Idempotency-Key prevents double submissions.

    `timeout` limits each call, including its retries, in seconds.
    All methods raise `EarshotError`, `EarshotConnectionError` or `EarshotTimeoutError`.
    """

    def __init__(
        self,
        key: str,
        url: str = "http://127.0.0.1:8080",
        *,
        max_retries: int = 5,
        timeout: float = 120.0,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._url = url.rstrip("/")
        self._flows = Flows(max_retries, timeout)
        self._headers = {"authorization": f"Bearer {key}"}
        self._http = http or httpx.AsyncClient()
        self.webhooks = AsyncWebhooks(self)

    async def search(
        self, *, timeout: float | None = None, idempotency_key: str | None = None, **params: Unpack[Params]
    ) -> SearchPage:
        """Returns one page, newest posts first."""
        return await self._run(self._flows.search(params, timeout, idempotency_key))

    async def search_all(self, *, limit: int | None = None, **params: Unpack[Params]) -> AsyncIterator[Record]:
        """Yields the posts on all pages."""
        remaining = limit
        page_params: Params = {**params}
        while True:
            page = await self.search(**page_params)
            for record in page["results"]:
                if remaining is not None and remaining <= 0:
                    return
                remaining = None if remaining is None else remaining - 1
                yield record
            cursor = page["next_cursor"]
            if cursor is None or remaining == 0:
                return
            page_params["next_cursor"] = cursor

    async def submit(
        self, *, timeout: float | None = None, idempotency_key: str | None = None, **params: Unpack[Params]
    ) -> str:
        """Returns the uuid of the job."""
        return await self._run(self._flows.submit(params, timeout, idempotency_key))

    async def wait(self, uuid: str, *, timeout: float | None = None) -> JobResult:
        """Returns the records and status of a job once it has finished."""
        return await self._run(self._flows.wait(uuid, timeout))

    async def status(self, uuid: str, *, timeout: float | None = None) -> dict[str, Any]:
        return await self._run(self._flows.status(uuid, timeout))

    async def cancel(self, uuid: str, *, timeout: float | None = None) -> None:
        """Cancels an unfinished job or deletes a finished one. Succeeds for unknown jobs."""
        await self._run(self._flows.cancel(uuid, timeout))

    async def proof(self, uuid: str, *, timeout: float | None = None) -> dict[str, Any]:
        """Returns the proof of a result that a node signed. `verify_proof` verifies it."""
        return await self._run(self._flows.proof(uuid, timeout))

    async def jobs(self, *, timeout: float | None = None, **query: str | int) -> dict[str, Any]:
        return await self._run(self._flows.jobs(query, timeout))

    async def counts(
        self, query: str, *, platform: str = "social", timeout: float | None = None, **more: str
    ) -> dict[str, Any]:
        return await self._run(self._flows.counts(platform, {"query": query, **more}, timeout))

    async def events(self, *, uuid: str | None = None, last_event_id: str | None = None) -> AsyncIterator[JobChange]:
        """Yields job state changes. Reconnects, and misses no final state."""
        reader = EventReader(uuid, last_event_id)
        while True:
            try:
                async for change in self._events_of(reader):
                    yield change
                if reader.has_job_ended:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(reader.retry_seconds)

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> AsyncEarshot:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _events_of(self, reader: EventReader) -> AsyncIterator[JobChange]:
        reader.reset()
        headers = {**self._headers, **reader.headers}
        # The server sends a line every 15 seconds.
        async with self._http.stream("GET", self._url + reader.path, headers=headers, timeout=60.0) as response:
            if response.status_code != 200:
                await response.aread()
                error = error_of(ApiResponse(response.status_code, response.text, None))
                if error.status in (429, 503):
                    return
                raise error
            async for line in response.aiter_lines():
                change = reader.feed(line)
                if change is not None:
                    yield change

    async def _run(self, flow: Flow[Value]) -> Value:
        outcome: ApiResponse | EarshotConnectionError | None = None
        while True:
            try:
                effect = flow.send(outcome)
            except StopIteration as end:
                value: Value = end.value
                return value
            if isinstance(effect, Pause):
                await asyncio.sleep(effect.seconds)
                outcome = None
            else:
                outcome = await self._send(effect)

    async def _send(self, request: Request) -> ApiResponse | EarshotConnectionError:
        try:
            response = await self._http.request(
                request.method,
                self._url + request.path,
                headers={**self._headers, **request.headers},
                json=request.body,
                timeout=request.seconds_left,
            )
        except httpx.TransportError as error:
            return EarshotConnectionError(f"the connection to {self._url} failed: {error}")
        return ApiResponse(response.status_code, response.text, response.headers.get("retry-after"))


class AsyncWebhooks:
    """Notifies your server when jobs finish. Verify each notification with `verify_webhook`."""

    def __init__(self, earshot: AsyncEarshot) -> None:
        self._earshot = earshot

    async def create(self, *, url: str, events: Sequence[str] | None = None) -> dict[str, Any]:
        """Only this response contains the secret."""
        body = {"url": url} if events is None else {"url": url, "events": events}
        return await self._call("POST", body=body, repeatable=False)

    async def list(self) -> Sequence[dict[str, Any]]:
        response = await self._call("GET")
        webhooks: Sequence[dict[str, Any]] = response["webhooks"]
        return webhooks

    async def get(self, id: str) -> dict[str, Any]:
        return await self._call("GET", id)

    async def delete(self, id: str) -> None:
        await self._call("DELETE", id)

    async def enable(self, id: str) -> dict[str, Any]:
        """Enables a webhook that was disabled after failures."""
        return await self._call("POST", id, "enable")

    async def replace_secret(self, id: str) -> dict[str, Any]:
        """Only this response contains the new secret. The former secret also signs until `former_secret_until`."""
        return await self._call("POST", id, "secret", repeatable=False)

    async def test(self, id: str) -> dict[str, Any]:
        """Sends a test event, and returns its delivery."""
        return await self._call("POST", id, "test", repeatable=False)

    async def deliveries(self, id: str) -> Sequence[dict[str, Any]]:
        """Returns the newest deliveries first."""
        response = await self._call("GET", id, "deliveries")
        deliveries: Sequence[dict[str, Any]] = response["deliveries"]
        return deliveries

    async def replay(self, id: str, delivery: str) -> dict[str, Any]:
        """Sends a delivery again."""
        return await self._call("POST", id, "deliveries", delivery, "replay", repeatable=False)

    async def _call(self, method: str, *path: str, body: Any = None, repeatable: bool = True) -> dict[str, Any]:
        return await self._earshot._run(self._earshot._flows.webhooks(method, path, body, repeatable))
