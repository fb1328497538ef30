from __future__ import annotations

import json
import struct
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ._checks import Checks
from ._collateral import check_collateral, check_levels, read_machine
from ._intel_root import INTEL_ROOT
from ._openssl import OpenSsl, certificates
from ._policy import check_policy
from ._quote import read_quote
from ._statement import check_names, check_signature, stated

SKEW_SECONDS = 60


@dataclass(frozen=True)
class ProofVerdict:
    """Nothing in a proof is reliable unless `holds`."""

    holds: bool
    #: The checks in order, and whether each holds.
    checks: list[tuple[str, bool]]
    signed_at: datetime | None
    #: When certificates and collateral were valid.
    as_of: datetime | None


def verify_proof(
    proof: str | bytes | dict[str, Any],
    policy: dict[str, Any],
    *,
    root: str = INTEL_ROOT,
    collateral: dict[str, Any] | None = None,
    as_of: datetime | None = None,
) -> ProofVerdict:
    """Verifies the response of `GET …/result/<uuid>/proof` with your policy, offline. Of the gateway's claims, it
    trusts only the signature time. Only for proofs with a quote. Not checked: whether the body answers the request.

    `root`: the certificate in PEM that the quote must lead to. `collateral` replaces that of the proof.
    `as_of`: when certificates must be valid; default: the time of the signature.
    """
    checks = Checks()
    signed: int | None = None
    at = time.time() if as_of is None else as_of.timestamp()
    with tempfile.TemporaryDirectory() as folder:
        openssl = OpenSsl(folder)
        try:
            parsed = json.loads(proof) if isinstance(proof, str | bytes) else proof
            attestation = parsed["attestation"]
            statement, evidence = attestation["statement"], attestation["evidence"]
            check_names(attestation, checks, openssl)
            signed = check_signature(parsed, checks, openssl)
            is_past = signed is not None and signed <= time.time() + SKEW_SECONDS
            checks.check("it was not signed in the future, give or take a minute", is_past)
            if as_of is None and signed is not None:
                at = signed
            quote = read_quote(bytes.fromhex(evidence["quote"]), stated(statement), checks, openssl)
            used = collateral or attestation["collateral"]
            tcb, enclave = check_collateral(used, quote, certificates(root)[0], at, checks, openssl)
            check_levels(tcb, enclave, quote, policy, checks)
            check_policy(quote, read_machine(quote), evidence["event_log"], policy, checks)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, struct.error) as error:
            checks.check(f"the proof and the policy are complete and well-formed ({error!r})", False)
    holds = all(passed for _, passed in checks.done)
    signed_at = None if signed is None else datetime.fromtimestamp(signed, UTC)
    return ProofVerdict(holds, checks.done, signed_at, datetime.fromtimestamp(at, UTC))
