"""Loaded by Schemathesis (schemathesis.toml)."""

import itertools
import re

import schemathesis

numbers = itertools.count()
job_uuid = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
# The Authorization header that each job was submitted with.
submitted = {}
deleted = set()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Gives each submission its own idempotency key.

    A repeated key returns the earlier job, even if that was deleted, which looks like a new job that cannot be found.
    """
    headers = case.headers or {}
    key = headers.get("idempotency-key")
    if isinstance(key, str) and key and key.isascii() and key.isprintable() and len(key) <= 240:
        headers["idempotency-key"] = f"{key}-{next(numbers)}"


@schemathesis.check
def submitted_job_is_found(ctx, response, case):
    """A job is found by its uuid, with the key that submitted it, until it is deleted.

    Replaces `ensure_resource_availability`, which does not know that a job has several paths, and reports a job that was
    deleted under one path as missing under the others.
    """
    authorization = response.request.headers.get("Authorization")
    succeeded = 200 <= response.status_code < 300
    if case.operation.method.upper() == "POST" and succeeded:
        body = response.json() if "json" in response.headers.get("content-type", [""])[0] else None
        if isinstance(body, dict) and isinstance(body.get("uuid"), str):
            submitted[body["uuid"]] = authorization
        return
    named = job_uuid.search(response.request.url)
    if named is None:
        return
    uuid = named.group()
    if case.operation.method.upper() == "DELETE" and succeeded:
        deleted.add(uuid)
    is_missing = response.status_code == 404 and '"job_not_found"' in response.text
    if is_missing and uuid in submitted and uuid not in deleted and submitted[uuid] == authorization:
        raise AssertionError(f"the job {uuid} is not found, but was submitted with the same key and not deleted")
