from __future__ import annotations

import re
import subprocess
from pathlib import Path

from ._checks import from_base64url, to_base64


class OpenSsl:
    """The `openssl` command, with its files in `folder`."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def ed25519_holds(self, key: str, message: bytes, signature: bytes) -> bool:
        der = self._file("key.der", bytes.fromhex("302a300506032b6570032100") + from_base64url(key))
        files = ("-in", self._file("message", message), "-sigfile", self._file("signature", signature))
        return self._holds("pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", der, "-rawin", *files)

    def p256_holds(self, public_pem: bytes, message: bytes, raw: bytes) -> bool:
        """`raw` is r and s, 32 bytes each; OpenSSL expects two DER integers."""
        numbers = [raw[:32].lstrip(b"\0"), raw[32:].lstrip(b"\0")]
        numbers = [b"\0" + n if n[:1] >= b"\x80" or not n else n for n in numbers]
        body = b"".join(b"\x02" + bytes([len(n)]) + n for n in numbers)
        signature = self._file("signature", b"\x30" + bytes([len(body)]) + body)
        verify = ("-verify", self._file("public.pem", public_pem), "-signature", signature)
        return len(raw) == 64 and self._holds("dgst", "-sha256", *verify, self._file("message", message))

    def key_of(self, certificate: str) -> bytes:
        return self._run("x509", "-pubkey", "-noout", "-in", self._file("certificate.pem", certificate.encode()))

    def revocation_list(self, digits: str) -> str:
        return self._run("crl", "-inform", "DER", "-in", self._file("crl.der", bytes.fromhex(digits))).decode()

    def chain_holds(self, chain: list[str], root: str, revocation_lists: str, at: float) -> bool:
        """Whether the chain leads to the root, and was valid at the time and not revoked."""
        files = {"-CAfile": root, "-CRLfile": revocation_lists, "-untrusted": "".join(chain[1:])}
        options = [part for name, text in files.items() for part in (name, self._file(f"{name}.pem", text.encode()))]
        leaf = self._file("leaf.pem", chain[0].encode())
        return self._holds("verify", "-attime", str(int(at)), "-crl_check_all", *options, leaf)

    def _file(self, name: str, content: bytes) -> str:
        path = self._folder / name
        path.write_bytes(content)
        return str(path)

    def _holds(self, *args: str) -> bool:
        return subprocess.run(["openssl", *args], capture_output=True).returncode == 0

    def _run(self, *args: str) -> bytes:
        return subprocess.run(["openssl", *args], capture_output=True).stdout


def p256_pem(point: bytes) -> bytes:
    der = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004") + point
    return f"-----BEGIN PUBLIC KEY-----\n{to_base64(der)}\n-----END PUBLIC KEY-----\n".encode()


def certificates(text: str) -> list[str]:
    return re.findall(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n?", text, re.DOTALL)
