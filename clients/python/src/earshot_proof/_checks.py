from __future__ import annotations

import base64
import hashlib
import struct


class Checks:
    """The checks in order, and whether each holds."""

    def __init__(self) -> None:
        self.done: list[tuple[str, bool]] = []

    def check(self, name: str, holds: object) -> None:
        self.done.append((name, bool(holds)))


def sha256(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def frame(label: str, *fields: object) -> bytes:
    """The bytes to hash and sign: each field after its length in four bytes."""
    encoded = [str(field).encode() for field in (label, *fields)]
    return b"".join(struct.pack(">I", len(field)) + field for field in encoded)


def from_base64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def to_base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def to_base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def matches_masked(value: bytes, expected: str, mask: str) -> bool:
    bits = zip(value, bytes.fromhex(expected), bytes.fromhex(mask), strict=True)
    return all(v & m == e & m for v, e, m in bits)
