from __future__ import annotations

import base64
import json
import struct
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ._checks import Checks, matches_masked
from ._openssl import OpenSsl, certificates
from ._quote import Quote


@dataclass(frozen=True)
class Machine:
    """Intel's values in a machine's certificate."""

    fmspc: bytes
    cpu_svn: bytes
    pce_svn: int
    ids: set[str]


def read_machine(quote: Quote) -> Machine:
    der = base64.b64decode("".join(quote.chain[0].split("\n")[1:-1]).split("-----")[0])
    return Machine(
        fmspc=_extension(der, [4], 4, 6),
        cpu_svn=_extension(der, [2, 18], 4, 16),
        pce_svn=int.from_bytes(_extension(der, [2, 17], 2, 0), "big"),
        ids={_extension(der, [6], 4, 16).hex(), _extension(der, [1], 4, 16).hex()},
    )


def _extension(der: bytes, path: list[int], tag: int, length: int) -> bytes:
    """A value of Intel's extension 1.2.840.113741.1.13.1, found by its identifier."""
    name = bytes.fromhex("2a864886f84d010d01") + bytes(path)
    at = der.find(bytes([6, len(name)]) + name + bytes([tag])) + len(name) + 3
    size = der[at]
    return der[at + 1 : at + 1 + size] if length in (0, size) else b""


def check_collateral(
    collateral: dict[str, Any], quote: Quote, root: str, at: float, checks: Checks, openssl: OpenSsl
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Intel's statements about the kind of machine and about the quoting enclave."""
    lists = openssl.revocation_list(collateral["root_ca_crl"]) + openssl.revocation_list(collateral["pck_crl"])
    tcb_chain = certificates(collateral["tcb_info_issuer_chain"])
    qe_chain = certificates(collateral["qe_identity_issuer_chain"])
    for name, chain in (("PCK", quote.chain), ("TCB information", tcb_chain), ("enclave identity", qe_chain)):
        holds = openssl.chain_holds(chain, root, lists, at)
        checks.check(f"the {name} chain leads to the root, is unexpired and not revoked", holds)
    parts: list[dict[str, Any]] = []
    for name, chain in (("tcb_info", tcb_chain), ("qe_identity", qe_chain)):
        text, signature = collateral[name], bytes.fromhex(collateral[f"{name}_signature"])
        signed = len(chain) == 2 and openssl.p256_holds(openssl.key_of(chain[0]), text.encode(), signature)
        checks.check(f"{name} is signed directly below the root", signed)
        part = json.loads(text)
        checks.check(f"{name} is in force", _time(part["issueDate"]) <= at <= _time(part["nextUpdate"]))
        parts.append(part)
    return parts[0], parts[1]


def check_levels(
    tcb: dict[str, Any], enclave: dict[str, Any], quote: Quote, policy: dict[str, Any], checks: Checks
) -> None:
    """Checks the states of the platform, quoting enclave and TDX module."""
    report, qe_report, machine = quote.report, quote.qe_report, read_machine(quote)
    same = (tcb["id"], enclave["id"]) == ("TDX", "TD_QE") and tcb["fmspc"].lower() == machine.fmspc.hex()
    checks.check("the collateral is for this machine", same)
    oldest = min(tcb["tcbEvaluationDataNumber"], enclave["tcbEvaluationDataNumber"])
    checks.check("the collateral is recent enough for the policy", oldest >= policy["min_tcb_evaluation_number"])
    svn = report[:16]
    module = _module(tcb, svn[1])
    is_module = (
        bool(module)
        and report[64:112].hex() == module["mrsigner"].lower()
        and matches_masked(report[112:120], module["attributes"], module["attributesMask"])
    )
    checks.check("the TDX module is Intel's", is_module)
    is_enclave = (
        qe_report[128:160].hex() == enclave["mrsigner"].lower()
        and struct.unpack_from("<H", qe_report, 256)[0] == enclave["isvprodid"]
        and matches_masked(qe_report[48:64], enclave["attributes"], enclave["attributesMask"])
        and matches_masked(qe_report[16:20][::-1], enclave["miscselect"], enclave["miscselectMask"])
    )
    checks.check("the quoting enclave is Intel's", is_enclave)
    levels = [
        [level for level in tcb["tcbLevels"] if _is_reached(level["tcb"], machine, svn)][:1],
        _newest(enclave["tcbLevels"], struct.unpack_from("<H", qe_report, 258)[0]),
    ]
    if svn[1]:
        levels.append(_newest(module.get("tcbLevels", []), svn[0]))
    accepted = all(found and found[0]["tcbStatus"] in policy["tcb_status"] for found in levels)
    checks.check("the policy accepts the states of platform, enclave and module", accepted)
    advisories = [name for found in levels for level in found for name in level.get("advisoryIDs", [])]
    accepted = all(name in policy["accepted_advisories"] for name in advisories)
    checks.check("the policy accepts the advisories", accepted)


def _module(tcb: dict[str, Any], version: int) -> dict[str, Any]:
    module: dict[str, Any] = tcb["tdxModule"] if version == 0 else {}
    for identity in tcb.get("tdxModuleIdentities", []):
        if version and identity["id"].upper() == f"TDX_{version:02X}":
            module = identity
            break
    return module


def _is_reached(level: dict[str, Any], machine: Machine, svn: bytes) -> bool:
    sgx = zip(machine.cpu_svn, level["sgxtcbcomponents"], strict=True)
    tdx = list(zip(svn, level["tdxtcbcomponents"], strict=True))[2 if svn[1] > 0 else 0 :]
    components = all(have >= part["svn"] for have, part in (*sgx, *tdx))
    return bool(components and machine.pce_svn >= level["pcesvn"])


def _newest(levels: list[dict[str, Any]], svn: int) -> list[dict[str, Any]]:
    reached = [level for level in levels if svn >= level["tcb"]["isvsvn"]]
    return sorted(reached, key=lambda level: -level["tcb"]["isvsvn"])[:1]


def _time(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
