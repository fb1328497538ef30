import { EarshotError } from "../../lib/errors.ts";

const hints: readonly (readonly [RegExp, string])[] = [
  [
    /^(attestation_key|chain|qe_report|quote|report_data)/,
    "attest again with a new quote; if it fails again, it is damaged or not from such a machine",
  ],
  [
    /^(collateral|crl|qe_identity_signature|tcb_evaluation|tcb_info|tdx_module_unknown|verifier)/,
    "fetch the collateral again, from a service with Intel's latest version",
  ],
  [/^(boot|event)/, "attest again with the event log exactly as the guest agent returns it"],
  [
    /^(debug|mr_|service_td|td_|xfam)/,
    "start the virtual machine as described in docs/attestation.md",
  ],
  [/^(qe|tcb|tdx_module)/, "update the firmware, microcode, quoting enclave and TDX module"],
  [/^certificate_revoked/, "use another machine: Intel no longer vouches for this one"],
  [/^/, "see docs/attestation.md for the evidence checks"],
];

export function refused(
  code: string,
  message: string,
  hint = hints.find(([codes]) => codes.test(code))?.[1] ?? "",
): EarshotError {
  const details = [{ code, message, hint }];
  return new EarshotError("evidence_refused", message, { status: 403, hint, details });
}

/** Turns other errors into a refusal with this code. */
export function readOrRefuse<Value>(code: string, message: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof EarshotError && error.code === "evidence_refused") throw error;
    throw refused(code, error instanceof EarshotError ? `${message}: ${error.message}` : message);
  }
}
