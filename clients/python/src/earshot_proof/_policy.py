from __future__ import annotations

import hashlib
import json
import struct
from typing import Any

from ._checks import Checks
from ._collateral import Machine
from ._quote import Quote


def check_policy(
    quote: Quote, machine: Machine, event_log: str | None, policy: dict[str, Any], checks: Checks
) -> None:
    """Checks the machine, the image, the program and the provider of its disk keys."""
    report, registers = quote.report, quote.registers
    attributes, features = int(report[120:128].hex(), 16), int(report[128:136].hex(), 16)
    allowed = int(policy.get("td_attributes", "0000005000000000"), 16)
    is_safe = report[123] & 0x10 and not report[120] and not attributes & ~allowed
    checks.check("SEPT_VE_DISABLE is set, DEBUG is not, and the policy allows the other bits", is_safe)
    allowed = int(policy.get("xfam", "e71a060000000000"), 16)
    checks.check("the policy allows the processor features", not features & ~allowed)
    is_zero = not any(report[232:328]) and not any(report[600:648])
    checks.check("MROWNER, MROWNERCONFIG and the service TD are zero", is_zero)
    is_named = policy["platforms"] is None or not machine.ids.isdisjoint(policy["platforms"])
    checks.check("the policy names the machine", is_named)
    measured = [report[136:184].hex(), *registers[:3]]
    images = [image for image in policy["images"] if [image["mrtd"], *image["rtmr"]] == measured]
    facts = {} if event_log is None else _replay(json.loads(event_log), report[472:520], checks)
    program, provider = facts.get("compose-hash", b"").hex(), json.loads(facts.get("key-provider", b"{}"))
    checks.check("the policy names the image", images)
    rtmr3 = registers[3] if any(report[472:520]) else "unused"
    keys = any(
        known["name"] == provider.get("name") and known.get("id") in (None, provider.get("id"))
        for known in policy["key_providers"]
    )
    by_program = any("rtmr3" not in image for image in images) and program in policy["compose_hashes"] and keys
    by_image = any(image.get("rtmr3") == rtmr3 for image in images)
    checks.check("the policy names the program and its key provider", by_image or by_program)
    holds = _is_config_known(report[184:232], program, policy)
    checks.check("MRCONFIGID is zero or that of the program", holds)


def _is_config_known(config: bytes, program: str, policy: dict[str, Any]) -> bool:
    if not any(config):
        return True
    form, configured = config[0], config[1:33].hex()
    if form not in policy.get("mr_config_versions", [1]) or any(config[33:]):
        return False
    expected = program or (configured if form == 1 else "")
    return (form != 1 or configured == expected) and expected in policy["compose_hashes"]


def _replay(events: list[dict[str, Any]], register: bytes, checks: Checks) -> dict[str, bytes]:
    """Checks that the log replays to RTMR3. Returns the events of the boot; later ones prove nothing."""
    measured, facts, ready = bytes(48), dict[str, bytes](), False
    for event in (event for event in events if event["imr"] == 3):
        kind, name, payload = event["event_type"], event["event"], bytes.fromhex(event["event_payload"])
        content = struct.pack("<I", kind) + b":" + name.encode() + b":" + payload
        if event.get("version") == 2:
            canonical = {"name": name, "payload": payload.hex(), "type": kind}
            content = json.dumps(canonical, separators=(",", ":"), ensure_ascii=False).encode()
        measured = hashlib.sha384(measured + hashlib.sha384(content).digest()).digest()
        is_new = kind == 0x08000001 and ":" not in name and (ready or name not in facts)
        checks.check(f"event {name!r} is a runtime event, once per boot", is_new)
        if not ready:
            facts[name] = payload
        ready = ready or name == "system-ready"
    checks.check("the event log replays to RTMR3, and the boot had ended", measured == register and ready)
    return facts
