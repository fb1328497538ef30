"""Verifies proofs of signed results offline with Python's standard library and the `openssl` command (3.0 or later)."""

from ._intel_root import INTEL_ROOT
from ._verify import ProofVerdict, verify_proof

__all__ = ["INTEL_ROOT", "ProofVerdict", "verify_proof"]
