#!/usr/bin/env python3
"""Verifies a proof of Earshot by other means: Python's standard library and the `openssl` command, no network.

usage: verify_proof.py PROOF.json ROOT.pem POLICY.json [--collateral FILE.json] [--as-of 2026-01-31T12:00:00Z]

ROOT.pem is the certificate that quotes have to lead to: Intel's "Intel SGX Root CA" for `tdx`, root.pem of the simulated
machine for `simulated`. Prints each check; exits with 0 when all hold, else with 1. docs/nodes.md describes the formats.
Not checked here: whether the body is a possible answer to the request.
"""
import argparse, base64, datetime, hashlib, json, pathlib, re, struct, subprocess, sys, tempfile

work = tempfile.TemporaryDirectory()
failed = []


def check(name, holds):
    print(("ok      " if holds else "FAILED  ") + name)
    if not holds:
        failed.append(name)


def file(name, content):
    path = pathlib.Path(work.name, name)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def openssl(*args):
    return subprocess.run(["openssl", *args], capture_output=True)


def sha256(content):
    return hashlib.sha256(content).digest()


def text64(content):
    return base64.b64encode(content).decode()


def from_url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def to_url(content):
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def frame(label, *fields):
    encoded = [str(field).encode() for field in (label, *fields)]
    return b"".join(struct.pack(">I", len(field)) + field for field in encoded)


def time_of(written):
    return datetime.datetime.fromisoformat(written.replace("Z", "+00:00")).timestamp()


def ed25519_holds(key, message, signature):
    der = file("key.der", bytes.fromhex("302a300506032b6570032100") + from_url(key))
    args = ("-rawin", "-in", file("message", message), "-sigfile", file("signature", signature))
    return openssl("pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", der, *args).returncode == 0


def p256_holds(public_pem, message, raw):
    """`raw` is r and s, 32 bytes each; OpenSSL reads two DER integers."""
    numbers = [raw[:32].lstrip(b"\0"), raw[32:].lstrip(b"\0")]
    numbers = [b"\0" + n if n[:1] >= b"\x80" or not n else n for n in numbers]
    body = b"".join(b"\x02" + bytes([len(n)]) + n for n in numbers)
    signature = file("signature", b"\x30" + bytes([len(body)]) + body)
    args = ("-verify", file("public.pem", public_pem), "-signature", signature, file("message", message))
    return len(raw) == 64 and openssl("dgst", "-sha256", *args).returncode == 0


def p256_pem(point):
    der = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004") + point
    return f"-----BEGIN PUBLIC KEY-----\n{text64(der)}\n-----END PUBLIC KEY-----\n"


def key_of(certificate):
    return openssl("x509", "-pubkey", "-noout", "-in", file("certificate.pem", certificate)).stdout


def certificates(text):
    return re.findall(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n?", text, re.S)


def crl_pem(digits):
    return openssl("crl", "-inform", "DER", "-in", file("crl.der", bytes.fromhex(digits))).stdout.decode()


def replay(events, register):
    """What RTMR3 of the quote was measured from; of what it says, only events of the boot count."""
    measured, facts, ready = bytes(48), {}, False
    for event in (event for event in events if event["imr"] == 3):
        kind, name, payload = event["event_type"], event["event"], bytes.fromhex(event["event_payload"])
        digest = hashlib.sha384(struct.pack("<I", kind) + b":" + name.encode() + b":" + payload).digest()
        if event.get("version") == 2:
            canonical = json.dumps({"name": name, "payload": payload.hex(), "type": kind}, separators=(",", ":"), ensure_ascii=False)
            digest = hashlib.sha384(canonical.encode()).digest()
        measured = hashlib.sha384(measured + digest).digest()
        check(f"event {name!r} is a runtime event, once a boot", kind == 0x08000001 and ":" not in name and (ready or name not in facts))
        if not ready:
            facts[name] = payload
        ready = ready or name == "system-ready"
    check("the event log replays to RTMR3, and the boot had ended", measured == register and ready)
    return facts


def extension(der, path, tag, length):
    """A value of Intel's extension 1.2.840.113741.1.13.1 of a PCK certificate, found by its identifier."""
    name = bytes.fromhex("2a864886f84d010d01") + bytes(path)
    at = der.find(bytes([6, len(name)]) + name + bytes([tag])) + len(name) + 3
    size = der[at]
    return der[at + 1 : at + 1 + size] if length in (0, size) else b""


def masked(value, expected, mask):
    return all(v & m == e & m for v, e, m in zip(value, bytes.fromhex(expected), bytes.fromhex(mask), strict=True))


arguments = argparse.ArgumentParser(usage=__doc__.split("\n")[2].removeprefix("usage: "))
for name in ("proof", "root", "policy", "--collateral", "--as-of"):
    arguments.add_argument(name)
given = arguments.parse_args()
proof, policy = (json.loads(pathlib.Path(path).read_text()) for path in (given.proof, given.policy))
root = certificates(pathlib.Path(given.root).read_text())[0]
fields, attestation = proof["fields"], proof["attestation"]
statement, evidence = attestation["statement"], attestation["evidence"]
stated = [statement[name] for name in ("version", "evidence", "audience", "nonce", "identity_key", "signing_key", "sealing_key", "boot_id", "gateway_key")]
quote = bytes.fromhex(evidence["quote"])

# Names, and the two signatures of the node (RFC 8032, RFC 9421).
key_id = to_url(sha256(frame("earshot-node-key/v1", statement["signing_key"], statement["sealing_key"])))[:22]
check("the node's id is made of its identity key", attestation["node_id"] == sha256(frame("earshot-node/v1", statement["identity_key"])).hex()[:16])
check("the key id is made of the keys", attestation["key_id"] == key_id)
attestation_id = to_url(sha256(frame("earshot-attestation/v1", *stated, evidence["quote"])))
check("the attestation id is made of statement and quote", attestation["id"] == attestation_id)
check("the statement is for a gateway", statement["audience"] != "earshot-caller")
check("the identity key signed the statement", ed25519_holds(statement["identity_key"], frame("earshot-node-identity/v1", *stated), from_url(attestation["identity_signature"])))
parameters = fields["signature-input"].removeprefix("earshot=")
signed = re.fullmatch(r'\("content-digest" "content-type" "earshot-job"\);created=(\d+);keyid="([\w-]{22})";alg="ed25519";tag="earshot-result"', parameters)
base = "".join(f'"{name}": {fields[name]}\n' for name in ("content-digest", "content-type", "earshot-job")) + f'"@signature-params": {parameters}'
signature = re.fullmatch(r"earshot=:(.*):", fields["signature"])
check("the signing key signed the fields", bool(signed and signature) and signed[2] == key_id and ed25519_holds(statement["signing_key"], base, base64.b64decode(signature[1])))
check("the body is the one that was signed", fields["content-digest"] == f"sha-256=:{text64(sha256(proof['body'].encode()))}:")
job = f'id="{proof["job"]}", request=:{text64(sha256(proof["request"].encode()))}:, knowledge=:{text64(sha256(proof["knowledge"].encode()))}:, quote=:{text64(sha256(quote))}:, evidence="{statement["evidence"]}", attestation="{attestation_id}"'
check("job, request, knowledge and quote are those that were signed", fields["earshot-job"] == job)
now = datetime.datetime.now().timestamp()
check("it was not signed in the future, give or take a minute", bool(signed) and int(signed[1]) <= now + 60)
at = time_of(given.as_of) if given.as_of else int(signed[1]) if signed else now

# The quote: header 48 bytes, in version 5 six more, then the report of 584 (648 in TDX 1.5).
version, start = struct.unpack_from("<H", quote)[0], 48
size = 584
if version == 5:
    kind, size = struct.unpack_from("<HI", quote, 48)
    start = 54
    check("the report is one of TDX", (kind, size) in ((2, 584), (3, 648)))
check("it is a TDX quote signed with P-256", version in (4, 5) and quote[2:8] == bytes([2, 0, 0x81, 0, 0, 0]))
report, body_end = quote[start : start + size], start + size
auth = quote[body_end + 4 :]
attestation_key, qe_report, qe_signature = auth[64:128], auth[134:518], auth[518:582]
auth_length = struct.unpack_from("<H", auth, 582)[0]
qe_auth, rest = auth[584 : 584 + auth_length], auth[584 + auth_length :]
chain_length = struct.unpack_from("<I", rest, 2)[0]
check("quoting enclave and PCK chain come with it", auth[128:130] == b"\6\0" and auth_length == 32 and rest[:2] == b"\5\0")
chain = certificates(rest[6 : 6 + chain_length].decode("latin1"))
registers = [report[at_ : at_ + 48].hex() for at_ in (328, 376, 424, 472)]
check("the quote is for this statement", report[520:584] == hashlib.sha512(frame("earshot-node-attestation/v1", *stated)).digest())
check("the attestation key signed the report", p256_holds(p256_pem(attestation_key), quote[:body_end], auth[:64]))
check("the quoting enclave vouches for that key", qe_report[320:352] == sha256(attestation_key + qe_auth))
check("the machine's certificate vouches for the enclave", p256_holds(key_of(chain[0]), qe_report, qe_signature))

# Collateral: chains to the root, nothing revoked, in force, for this kind of machine.
collateral = json.loads(pathlib.Path(given.collateral).read_text()) if given.collateral else attestation["collateral"]
lists = file("crls.pem", crl_pem(collateral["root_ca_crl"]) + crl_pem(collateral["pck_crl"]))
tcb_chain, qe_chain = certificates(collateral["tcb_info_issuer_chain"]), certificates(collateral["qe_identity_issuer_chain"])
for name, certs in (("PCK", chain), ("TCB information", tcb_chain), ("enclave identity", qe_chain)):
    args = ["-attime", str(int(at)), "-crl_check_all", "-CAfile", file("root.pem", root), "-CRLfile", lists]
    result = openssl("verify", *args, "-untrusted", file("rest.pem", "".join(certs[1:])), file("leaf.pem", certs[0]))
    check(f"the {name} chain leads to the root, in time and not revoked", result.returncode == 0)
parts = {}
for name, certs in (("tcb_info", tcb_chain), ("qe_identity", qe_chain)):
    text = collateral[name]
    parts[name] = json.loads(text)
    check(f"{name} is signed straight below the root", len(certs) == 2 and p256_holds(key_of(certs[0]), text.encode(), bytes.fromhex(collateral[f"{name}_signature"])))
    check(f"{name} is in force", time_of(parts[name]["issueDate"]) <= at <= time_of(parts[name]["nextUpdate"]))
tcb, enclave = parts["tcb_info"], parts["qe_identity"]
der = base64.b64decode("".join(chain[0].split("\n")[1:-1]).split("-----")[0])
check("the collateral is for this machine", (tcb["id"], enclave["id"]) == ("TDX", "TD_QE") and tcb["fmspc"].lower() == extension(der, [4], 4, 6).hex())
check("the collateral is recent enough for the policy", min(tcb["tcbEvaluationDataNumber"], enclave["tcbEvaluationDataNumber"]) >= policy["min_tcb_evaluation_number"])

# States of platform, quoting enclave and TDX module.
cpu, pce, svn = extension(der, [2, 18], 4, 16), int.from_bytes(extension(der, [2, 17], 2, 0), "big"), report[:16]
skip = 2 if svn[1] > 0 else 0


def reached(level):
    wanted = [part["svn"] for part in level["tcb"]["tdxtcbcomponents"]]
    sgx = all(have >= part["svn"] for have, part in zip(cpu, level["tcb"]["sgxtcbcomponents"], strict=True))
    return sgx and pce >= level["tcb"]["pcesvn"] and all(a >= b for a, b in list(zip(svn, wanted, strict=True))[skip:])


def newest(levels, value):
    return sorted((l for l in levels if value >= l["tcb"]["isvsvn"]), key=lambda l: -l["tcb"]["isvsvn"])[:1]


module = next((m for m in tcb.get("tdxModuleIdentities", []) if m["id"].upper() == f"TDX_{svn[1]:02X}"), {}) if svn[1] else tcb["tdxModule"]
check("the TDX module is Intel's", module and report[64:112].hex() == module["mrsigner"].lower() and masked(report[112:120], module["attributes"], module["attributesMask"]))
check("the quoting enclave is Intel's", qe_report[128:160].hex() == enclave["mrsigner"].lower() and struct.unpack_from("<H", qe_report, 256)[0] == enclave["isvprodid"] and masked(qe_report[48:64], enclave["attributes"], enclave["attributesMask"]) and masked(qe_report[16:20][::-1], enclave["miscselect"], enclave["miscselectMask"]))
levels = [[l for l in tcb["tcbLevels"] if reached(l)][:1], newest(enclave["tcbLevels"], struct.unpack_from("<H", qe_report, 258)[0])]
levels += [newest(module.get("tcbLevels", []), svn[0])] if svn[1] else []
check("the policy takes the states of platform, enclave and module", all(l and l[0]["tcbStatus"] in policy["tcb_status"] for l in levels))
check("the policy accepts the advisories", all(a in policy["accepted_advisories"] for l in levels for found in l for a in found.get("advisoryIDs", [])))

# The policy: machine, image, program, who has the keys of its disk.
attributes, features = int(report[120:128].hex(), 16), int(report[128:136].hex(), 16)
check("SEPT_VE_DISABLE is set, DEBUG is not, and the policy allows the other bits", report[123] & 0x10 and not report[120] and not attributes & ~int(policy.get("td_attributes", "0000005000000000"), 16))
check("the policy allows the processor features", not features & ~int(policy.get("xfam", "e71a060000000000"), 16))
check("MROWNER, MROWNERCONFIG and the service TD are zero", not any(report[232:328]) and not any(report[600:648]))
machine = {extension(der, [6], 4, 16).hex(), extension(der, [1], 4, 16).hex()}
check("the policy names the machine", policy["platforms"] is None or not machine.isdisjoint(policy["platforms"]))
images = [i for i in policy["images"] if [i["mrtd"], *i["rtmr"]] == [report[136:184].hex(), *registers[:3]]]
facts = replay(json.loads(evidence["event_log"]), report[472:520]) if evidence["event_log"] is not None else {}
program, provider = facts.get("compose-hash", b"").hex(), json.loads(facts.get("key-provider", b"{}"))
named = any(i.get("rtmr3") == (registers[3] if any(report[472:520]) else "unused") for i in images)
keys = any(p["name"] == provider.get("name") and p.get("id") in (None, provider.get("id")) for p in policy["key_providers"])
check("the policy names the image", bool(images))
check("the policy names the program and who gave it its keys", named or any("rtmr3" not in i for i in images) and program in policy["compose_hashes"] and keys)
config, form = report[184:232], report[184]
told = program or (config[1:33].hex() if form == 1 else "")
same = form in policy.get("mr_config_versions", [1]) and not any(config[33:]) and (form != 1 or config[1:33].hex() == told)
check("MRCONFIGID is zero or that of the program", not any(config) or same and told in policy["compose_hashes"])
print(f"signed {datetime.datetime.fromtimestamp(int(signed[1]) if signed else 0, datetime.UTC).isoformat()}, evidence as of {datetime.datetime.fromtimestamp(at, datetime.UTC).isoformat()}")
sys.exit(1 if failed else 0)
