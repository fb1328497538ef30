import type { Logger } from "pino";
import type { RunnerOptions } from "../../jobs/runner.ts";
import type { EarshotError } from "../../lib/errors.ts";
import type { AttestationStatus } from "../../remote/worker/attest-loop.ts";

/** Omits the errors of jobs, which may quote the request. */
export function withoutJobErrors(log: Logger): RunnerOptions["log"] {
  return {
    warn: ({ error, ...fields }: Record<string, unknown>, message: string) =>
      log.warn("uuid" in fields ? fields : { error, ...fields }, message),
  };
}

/** Logs attestations and refusals; warns once that an operator has to approve the node. */
export function createStatusLog(log: Logger) {
  const { promise: finalRefusal, resolve } = Promise.withResolvers<EarshotError>();
  let wasPending = false;

  function logStatus(status: AttestationStatus): void {
    const isPending = status.state === "pending";
    if (isPending && !wasPending) {
      log.warn("the node awaits approval by a gateway operator");
    }
    wasPending = isPending;
    if (status.state === "admitted") {
      log.info({ attestation: status.attestation.attestationId }, "attested");
    }
    if (status.state !== "refused") return;
    const { code, message, details } = status.error;
    log.error({ code, check: details[0]?.code, error: message }, "the gateway refused the node");
    if (status.isFinal) resolve(status.error);
  }

  return {
    logStatus,
    finalRefusal,
  };
}
