"""Prints each check; exits with 0 if all hold, otherwise with 1."""

import argparse
import json
import sys
from datetime import datetime
from pathlib import Path

from . import INTEL_ROOT, verify_proof

parser = argparse.ArgumentParser(prog="python -m earshot_proof", description="Verifies a proof offline.")
parser.add_argument("proof", type=Path, help="response of GET …/result/<uuid>/proof")
parser.add_argument("policy", type=Path, help="the programs and machines that you trust (docs/attestation.md)")
parser.add_argument("--root", type=Path, help="root certificate of quotes; default: Intel SGX Root CA")
parser.add_argument("--collateral", type=Path, help="replaces the proof's collateral")
parser.add_argument("--as-of", type=datetime.fromisoformat, help="default: the time of the signature")
args = parser.parse_args()

verdict = verify_proof(
    args.proof.read_text(),
    json.loads(args.policy.read_text()),
    root=args.root.read_text() if args.root else INTEL_ROOT,
    collateral=json.loads(args.collateral.read_text()) if args.collateral else None,
    as_of=args.as_of,
)
for name, holds in verdict.checks:
    print(("ok      " if holds else "FAILED  ") + name)
if verdict.signed_at and verdict.as_of:
    print(f"signed {verdict.signed_at.isoformat()}, evidence as of {verdict.as_of.isoformat()}")
sys.exit(0 if verdict.holds else 1)
