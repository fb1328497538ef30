import type { Archive } from "../../archive/archive.ts";
import { type LeaseFailure, leaseLost } from "../../jobs/lease.ts";
import type { Clock } from "../../lib/clock.ts";
import type { SourceAnswer } from "../../platforms/source.ts";
import type { SealedAnswer } from "../protocol/messages.ts";
import { failureBytes, readRequest } from "../protocol/texts.ts";
import type { Attested } from "./attest.ts";
import type { AttestLoop } from "./attest-loop.ts";
import { checkOf, codeOf, isUnreachable } from "./gateway-faults.ts";
import type { GatewayLink } from "./gateway-link.ts";
import type { HeldLeases } from "./held-leases.ts";
import type { Reachability } from "./reachability.ts";
import { withoutMisfits, withRecords } from "./shown-records.ts";
import { type SigningContext, signedAnswer } from "./signed-answer.ts";

export type HandInContext = SigningContext & {
  link: GatewayLink;
  attestLoop: Pick<AttestLoop, "whenAdmitted">;
  reachability: Pick<Reachability, "turn">;
  archive: Pick<Archive, "records" | "withheld">;
  clock: Pick<Clock, "sleep">;
  log: WorkerLog;
};

/** The log of a node: what it is told is never of a job's content. */
type WorkerLog = { warn(fields: Record<string, unknown>, message: string): void };

/**
 * Hands in what leases came to, again and again while the gateway cannot be reached and the lease holds. Errors: `lease_lost`
 * where the lease ended first, or the gateway did not take it.
 */
export type HandIn = {
  complete(token: string, result: SourceAnswer): Promise<void>;
  fail(token: string, failure: LeaseFailure): Promise<void>;
};

/** Between two tries. */
const againMs = 250;

export function createHandIn(context: HandInContext, held: HeldLeases): HandIn {
  const { link, attestLoop, reachability, archive, clock, log } = context;

  async function complete(token: string, result: SourceAnswer): Promise<void> {
    const { uuid, request } = held.get(token);
    const attested = await admitted(token);
    const shown = await withRecords(archive, result);
    const answer = await withoutMisfits(readRequest(request), shown, (check) =>
      log.warn({ uuid, check }, "a record was left out that does not fit its request"),
    );
    const plain = signedAnswer(context, { uuid, request, attested, answer });
    const isTaken = await handIn("complete", token, plain);
    if (!isTaken) await fail(token, tooLarge);
  }

  async function fail(token: string, failure: LeaseFailure): Promise<void> {
    await handIn("fail", token, failureBytes(failure));
  }

  /** False where it is larger than the gateway takes. */
  async function handIn(
    route: "complete" | "fail",
    token: string,
    plain: Uint8Array,
  ): Promise<boolean> {
    const { uuid, sealer, lost } = held.get(token);
    const body: SealedAnswer = { job: uuid, token, ...sealer.seal(plain) };
    for (;;) {
      await admitted(token);
      await reachability.turn(held.leftMs(token), lost.signal);
      held.get(token);
      try {
        await link.post(route, body);
        held.end(token);
        return true;
      } catch (fault) {
        if (codeOf(fault) === "body_too_large" && route === "complete") return false;
        if (!isUnreachable(fault) && codeOf(fault) !== "node_unauthorized") {
          noteRefusal(uuid, fault);
          held.drop(token);
          throw leaseLost();
        }
        await clock.sleep(againMs, lost.signal);
      }
    }
  }

  /** What the gateway says of an answer may hold a part of it: the log gets the codes alone. */
  function noteRefusal(uuid: string, fault: unknown): void {
    if (codeOf(fault) === "lease_lost") return;
    log.warn({ uuid, code: codeOf(fault), check: checkOf(fault) }, "the gateway refused an answer");
  }

  /** The attestation that counts, as soon as there is one. */
  async function admitted(token: string): Promise<Attested> {
    for (;;) {
      const { lost } = held.get(token);
      const attested = await attestLoop.whenAdmitted(held.leftMs(token), lost.signal);
      if (attested !== null) return attested;
    }
  }

  return { complete, fail };
}

const tooLarge: LeaseFailure = {
  code: "result_too_large",
  message: "the result is larger than the gateway takes",
  status: 500,
  retryable: false,
  hint: "request fewer posts",
};
