from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass

from ._checks import Checks, frame, sha256
from ._openssl import OpenSsl, certificates, p256_pem


@dataclass(frozen=True)
class Quote:
    """A TDX quote: the report of the virtual machine and of the quoting enclave, and the certificates of the machine."""

    report: bytes
    qe_report: bytes
    chain: list[str]

    @property
    def registers(self) -> list[str]:
        """RTMR0 to RTMR3."""
        return [self.report[at : at + 48].hex() for at in (328, 376, 424, 472)]


def read_quote(quote: bytes, stated: list[object], checks: Checks, openssl: OpenSsl) -> Quote:
    """Reads a header of 48 bytes (54 in version 5) and a report of 584 bytes (648 in TDX 1.5)."""
    version, start, size = struct.unpack_from("<H", quote)[0], 48, 584
    if version == 5:
        kind, size = struct.unpack_from("<HI", quote, 48)
        start = 54
        checks.check("the report is a TDX report", (kind, size) in ((2, 584), (3, 648)))
    is_tdx = version in (4, 5) and quote[2:8] == bytes([2, 0, 0x81, 0, 0, 0])
    checks.check("it is a TDX quote signed with P-256", is_tdx)
    report, end = quote[start : start + size], start + size
    auth = quote[end + 4 :]
    attestation_key, qe_report, qe_signature = auth[64:128], auth[134:518], auth[518:582]
    auth_length = struct.unpack_from("<H", auth, 582)[0]
    qe_auth, rest = auth[584 : 584 + auth_length], auth[584 + auth_length :]
    chain_length = struct.unpack_from("<I", rest, 2)[0]
    is_complete = auth[128:130] == b"\6\0" and auth_length == 32 and rest[:2] == b"\5\0"
    checks.check("the quote includes the quoting enclave and the PCK chain", is_complete)
    chain = certificates(rest[6 : 6 + chain_length].decode("latin1"))
    report_data = hashlib.sha512(frame("earshot-node-attestation/v1", *stated)).digest()
    checks.check("the quote is for this statement", report[520:584] == report_data)
    signed = openssl.p256_holds(p256_pem(attestation_key), quote[:end], auth[:64])
    checks.check("the attestation key signed the report", signed)
    holds = qe_report[320:352] == sha256(attestation_key + qe_auth)
    checks.check("the quoting enclave vouches for that key", holds)
    signed = openssl.p256_holds(openssl.key_of(chain[0]), qe_report, qe_signature)
    checks.check("the machine's certificate vouches for the enclave", signed)
    return Quote(report, qe_report, chain)
