from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

_TOLERANCE_SECONDS = 300


def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes | str) -> dict[str, Any]:
    """Returns the event of a webhook request. `body` must be as received, not parsed.

    Raises ValueError if the request was not signed with the secret, or is more than five minutes old.
    Ignore a repeated `webhook-id`.
    """
    fields = {name.lower(): value for name, value in headers.items()}
    identifier, timestamp = fields.get("webhook-id", ""), fields.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > _TOLERANCE_SECONDS:
        raise ValueError("the webhook's timestamp is missing or too old")
    content = body.encode() if isinstance(body, str) else body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{identifier}.{timestamp}.".encode() + content
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    signatures = fields.get("webhook-signature", "").split(" ")
    if not any(hmac.compare_digest(expected.encode(), signature.encode()) for signature in signatures):
        raise ValueError("the webhook is not signed with this secret")
    event: dict[str, Any] = json.loads(content)
    return event
