"""Loaded by Schemathesis (schemathesis.toml)."""

import itertools

import schemathesis

numbers = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Gives each submission an idempotency key of its own.

    One that is sent again is answered with the earlier job, also when that was forgotten meanwhile, which looks like a job
    that was made and cannot be found.
    """
    headers = case.headers or {}
    key = headers.get("idempotency-key")
    if isinstance(key, str) and key and key.isascii() and key.isprintable() and len(key) <= 240:
        headers["idempotency-key"] = f"{key}-{next(numbers)}"
