import { EarshotError } from "../../lib/errors.ts";

/** What to do about a refusal, by the beginning of its code; the first that fits. */
const hints: readonly (readonly [RegExp, string])[] = [
  [
    /^(attestation_key|chain|qe_report|quote|report_data)/,
    "let the node attest again with a fresh quote; one that fails again was damaged, or is not that of such a machine",
  ],
  [
    /^(collateral|crl|qe_identity_signature|tcb_evaluation|tcb_info|tdx_module_unknown|verifier)/,
    "fetch collateral again, from a service that has what Intel published last",
  ],
  [/^(boot|event)/, "let the node attest again with the event log as its guest agent gives it"],
  [
    /^(debug|mr_|service_td|td_|xfam)/,
    "start the virtual machine as docs/attestation.md describes it",
  ],
  [
    /^(qe|tcb|tdx_module)/,
    "bring firmware, microcode, quoting enclave and TDX module of the machine up to date, or take another machine",
  ],
  [/^certificate_revoked/, "take another machine: Intel does not vouch for this one any more"],
];
const usualHint = "docs/attestation.md explains what evidence is checked for";

/**
 * A `evidence_refused`, with the check that failed in its details: each check has a code of its own, so that whoever is refused
 * knows which one it was.
 */
export function refused(code: string, message: string, hint = hintFor(code)): EarshotError {
  return new EarshotError("evidence_refused", message, {
    status: 403,
    hint,
    details: [{ code, message, hint }],
  });
}

function hintFor(code: string): string {
  return hints.find(([codes]) => codes.test(code))?.[1] ?? usualHint;
}

/** What `read` gives; when it throws, whatever it throws, a refusal with this code. */
export function readOrRefuse<Value>(code: string, message: string, read: () => Value): Value {
  try {
    return read();
  } catch (fault) {
    if (fault instanceof EarshotError && fault.code === "evidence_refused") throw fault;
    const reason = fault instanceof EarshotError ? `: ${fault.message}` : "";
    throw refused(code, `${message}${reason}`);
  }
}
