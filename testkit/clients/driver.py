"""Drives the Python clients over standard input and output, like driver.ts: `driver.py sync` or `driver.py async`."""

import asyncio
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from earshot_client import (
    AsyncEarshot,
    Earshot,
    EarshotConnectionError,
    EarshotError,
    EarshotTimeoutError,
    verify_webhook,
)

OPTIONS: dict[str, Any] = {
    "url": os.environ["EARSHOT_URL"],
    "key": os.environ["EARSHOT_API_KEY"],
    "max_retries": 12,
}
ENDED = ("done", "error", "cancelled")


def error_fields(error: BaseException) -> dict[str, Any]:
    if isinstance(error, EarshotError):
        fields = {name: getattr(error, name) for name in ("code", "status", "errors", "uuid")}
        return {"kind": "refused", "message": str(error), **fields}
    if isinstance(error, EarshotConnectionError):
        return {"kind": "connection", "message": str(error)}
    if isinstance(error, EarshotTimeoutError):
        return {"kind": "timeout", "message": str(error)}
    return {"kind": "other", "message": repr(error)}


def seconds(args: dict[str, Any]) -> dict[str, Any]:
    return {"timeout": args["timeoutMs"] / 1_000} if "timeoutMs" in args else {}


def webhooks(client: Any, args: dict[str, Any]) -> Any:
    method = getattr(client.webhooks, {"replaceSecret": "replace_secret"}.get(args["method"], args["method"]))
    return method(*args.get("ids", []), **{name: value for each in args.get("params", []) for name, value in each.items()})


def job(result: Any) -> dict[str, Any]:
    return {"records": result.records, "status": result.status}


def write(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def drive() -> None:
    earshot = Earshot(**OPTIONS)

    def events_until(args: dict[str, Any]) -> list[Any]:
        waiting, ended = set(args["uuids"]), []
        for change in earshot.events(last_event_id="0"):
            if change["status"] in ENDED and change["uuid"] in waiting:
                waiting.remove(change["uuid"])
                ended.append(change)
            if not waiting:
                break
        return ended

    operations: dict[str, Any] = {
        "search": lambda args: earshot.search(**args),
        "searchAll": lambda args: list(earshot.search_all(limit=args.get("limit"), **args["params"])),
        "submit": lambda args: earshot.submit(**args),
        "wait": lambda args: job(earshot.wait(args["uuid"], **seconds(args))),
        "status": lambda args: earshot.status(args["uuid"]),
        "cancel": lambda args: earshot.cancel(args["uuid"]),
        "proof": lambda args: earshot.proof(args["uuid"]),
        "webhooks": lambda args: webhooks(earshot, args),
        "counts": lambda args: earshot.counts(**args),
        "eventsUntil": events_until,
        "watch": lambda args: [change["status"] for change in earshot.events(uuid=args["uuid"])],
        "verifyWebhook": lambda args: verify_webhook(args["secret"], args["headers"], args["body"]),
    }

    def call(line: str) -> None:
        request = json.loads(line)
        try:
            write({"id": request["id"], "value": operations[request["name"]](request["args"])})
        except Exception as error:
            write({"id": request["id"], "error": error_fields(error)})

    with ThreadPoolExecutor(32) as pool:
        for line in sys.stdin:
            pool.submit(call, line)


async def drive_async() -> None:
    earshot = AsyncEarshot(**OPTIONS)
    # httpx opens at most 100 connections.
    slots = asyncio.Semaphore(32)

    async def search_all(args: dict[str, Any]) -> list[Any]:
        found = earshot.search_all(limit=args.get("limit"), **args["params"])
        return [record async for record in found]

    async def events_until(args: dict[str, Any]) -> list[Any]:
        waiting, ended = set(args["uuids"]), []
        async for change in earshot.events(last_event_id="0"):
            if change["status"] in ENDED and change["uuid"] in waiting:
                waiting.remove(change["uuid"])
                ended.append(change)
            if not waiting:
                break
        return ended

    async def watch(args: dict[str, Any]) -> list[str]:
        return [change["status"] async for change in earshot.events(uuid=args["uuid"])]

    async def wait(args: dict[str, Any]) -> dict[str, Any]:
        return job(await earshot.wait(args["uuid"], **seconds(args)))

    async def verify(args: dict[str, Any]) -> dict[str, Any]:
        return verify_webhook(args["secret"], args["headers"], args["body"])

    operations: dict[str, Any] = {
        "search": lambda args: earshot.search(**args),
        "searchAll": search_all,
        "submit": lambda args: earshot.submit(**args),
        "wait": wait,
        "status": lambda args: earshot.status(args["uuid"]),
        "cancel": lambda args: earshot.cancel(args["uuid"]),
        "proof": lambda args: earshot.proof(args["uuid"]),
        "webhooks": lambda args: webhooks(earshot, args),
        "counts": lambda args: earshot.counts(**args),
        "eventsUntil": events_until,
        "watch": watch,
        "verifyWebhook": verify,
    }

    async def call(line: str) -> None:
        request = json.loads(line)
        try:
            async with slots:
                value = await operations[request["name"]](request["args"])
            write({"id": request["id"], "value": value})
        except Exception as error:
            write({"id": request["id"], "error": error_fields(error)})

    tasks = set()
    while line := await asyncio.to_thread(sys.stdin.readline):
        tasks.add(asyncio.create_task(call(line)))


if sys.argv[1] == "sync":
    drive()
else:
    asyncio.run(drive_async())
