import type { Logger } from "pino";
import type { RunnerOptions } from "../jobs/runner.ts";
import type { EarshotError } from "../lib/errors.ts";
import type { Standing } from "../remote/worker/attest-loop.ts";
import { isDismissal } from "../remote/worker/dismissal.ts";

/** Why an attempt at a job failed may repeat a part of what was asked: a node's log gets the code alone. */
export function withoutCauses(log: Logger): RunnerOptions["log"] {
  return {
    warn: ({ error, ...fields }: Record<string, unknown>, message: string) =>
      log.warn("uuid" in fields ? fields : { error, ...fields }, message),
  };
}

/**
 * When a node is to give up: refused for good before it was ever taken, or sent away for good at any time. Other refusals of a
 * node that was taken may be mended at the gateway, and are waited for.
 */
export function createLastRefusal() {
  const { promise: refused, resolve } = Promise.withResolvers<EarshotError>();
  let wasTaken = false;
  return {
    refused,
    look: (standing: Standing) => {
      if (standing.state === "admitted" || standing.state === "pending") wasTaken = true;
      if (standing.state !== "refused") return;
      const { fault, isFinal } = standing;
      if (isDismissal(fault) || (isFinal && !wasTaken)) resolve(fault);
    },
  };
}

/** One line for each attestation and each refusal; that an operator is waited for is told once. */
export function createStandingLog(log: Logger) {
  let isPending = false;

  function note(standing: Standing): void {
    const wasPending = isPending;
    isPending = standing.state === "pending";
    if (isPending && !wasPending) {
      log.warn("the gateway waits for an operator to approve the node");
    }
    if (standing.state === "admitted") {
      log.info({ attestation: standing.attested.attestationId }, "attested");
    }
    if (standing.state === "refused") {
      const { code, message, details } = standing.fault;
      log.error({ code, check: details[0]?.code, error: message }, "the node was refused");
    }
  }

  return { note };
}
