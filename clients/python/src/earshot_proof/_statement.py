from __future__ import annotations

import base64
import re
from typing import Any

from ._checks import Checks, frame, from_base64url, sha256, to_base64, to_base64url
from ._openssl import OpenSsl

STATED = (
    "version",
    "evidence",
    "audience",
    "nonce",
    "identity_key",
    "signing_key",
    "sealing_key",
    "boot_id",
    "gateway_key",
)
PARAMETERS = re.compile(
    r'\("content-digest" "content-type" "earshot-job"\);created=(\d+);keyid="([\w-]{22})";alg="ed25519"'
    r';tag="earshot-result"'
)


def stated(statement: dict[str, Any]) -> list[Any]:
    return [statement[name] for name in STATED]


def check_names(attestation: dict[str, Any], checks: Checks, openssl: OpenSsl) -> None:
    statement, identity_key = attestation["statement"], attestation["statement"]["identity_key"]
    node_id = sha256(frame("earshot-node/v1", identity_key)).hex()[:16]
    checks.check("the node's id is derived from its identity key", attestation["node_id"] == node_id)
    checks.check("the key id is derived from the keys", attestation["key_id"] == _key_id(statement))
    holds = attestation["id"] == _attestation_id(attestation)
    checks.check("the attestation id is derived from statement and quote", holds)
    checks.check("the statement is for a gateway", statement["audience"] == "earshot")
    message = frame("earshot-node-identity/v1", *stated(statement))
    signature = from_base64url(attestation["identity_signature"])
    holds = openssl.ed25519_holds(identity_key, message, signature)
    checks.check("the identity key signed the statement", holds)


def check_signature(proof: dict[str, Any], checks: Checks, openssl: OpenSsl) -> int | None:
    """The time of the signature (RFC 9421), Unix seconds."""
    fields, attestation = proof["fields"], proof["attestation"]
    statement = attestation["statement"]
    parameters = fields["signature-input"].removeprefix("earshot=")
    signed = PARAMETERS.fullmatch(parameters)
    signature = re.fullmatch(r"earshot=:(.*):", fields["signature"])
    covered = ("content-digest", "content-type", "earshot-job")
    base = "".join(f'"{name}": {fields[name]}\n' for name in covered) + f'"@signature-params": {parameters}'
    holds = (
        signed is not None
        and signature is not None
        and signed[2] == _key_id(statement)
        and openssl.ed25519_holds(statement["signing_key"], base.encode(), base64.b64decode(signature[1]))
    )
    checks.check("the signing key signed the fields", holds)
    checks.check("the body is the one that was signed", fields["content-digest"] == f"sha-256={_digest(proof['body'])}")
    quote = sha256(bytes.fromhex(attestation["evidence"]["quote"]))
    job = (
        f'id="{proof["job"]}", request={_digest(proof["request"])}, knowledge={_digest(proof["knowledge"])}, '
        f'quote=:{to_base64(quote)}:, evidence="{statement["evidence"]}", attestation="{_attestation_id(attestation)}"'
    )
    checks.check("job, request, knowledge and quote are those that were signed", fields["earshot-job"] == job)
    return None if signed is None else int(signed[1])


def _digest(text: str) -> str:
    return f":{to_base64(sha256(text.encode()))}:"


def _key_id(statement: dict[str, Any]) -> str:
    keys = (statement["signing_key"], statement["sealing_key"])
    return to_base64url(sha256(frame("earshot-node-key/v1", *keys)))[:22]


def _attestation_id(attestation: dict[str, Any]) -> str:
    content = (*stated(attestation["statement"]), attestation["evidence"]["quote"])
    return to_base64url(sha256(frame("earshot-attestation/v1", *content)))
