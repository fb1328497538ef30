import type { Archive } from "../../archive/archive.ts";
import {
  type Lease,
  type LeaseFailure,
  type LeaseGateway,
  leaseLost,
} from "../../jobs/leases/lease.ts";
import type { EvidenceKind } from "../../jobs/result-signature.ts";
import type { Clock } from "../../lib/clock.ts";
import type { AnswerRequest, SourceAnswer } from "../../platforms/source.ts";
import { withRecords } from "../../search/merge/with-records.ts";
import { answerBody, answerBytes } from "../protocol/answer.ts";
import { type AnswerSecret, encryptAnswer } from "../protocol/encrypted-answer.ts";
import { createOpenedLeases, openJob } from "../protocol/encrypted-job.ts";
import { renewAnswer } from "../protocol/messages.ts";
import { signResult } from "../protocol/signed-result.ts";
import { failureBytes, knowledgeText, readRequest } from "../protocol/texts.ts";
import { withoutRefused } from "./answers.ts";
import type { Attested } from "./attest.ts";
import type { AttestLoop } from "./attest-loop.ts";
import { codeOf, failedCheckOf, isUnreachable, unreachable } from "./gateway-errors.ts";
import type { GatewayClock } from "./gateway-state.ts";
import { releaseIn } from "./released-credential.ts";
import { type LeasedEnvelope, type LeaseRequestContext, requestLease } from "./request-lease.ts";
import type { NodeSelf } from "./self.ts";

export type RemoteGatewayContext = LeaseRequestContext & {
  self: Pick<NodeSelf, "keys" | "keyId">;
  evidence: EvidenceKind;
  gatewayClock: Pick<GatewayClock, "now">;
  attestLoop: Pick<AttestLoop, "whenAdmitted" | "again" | "admitted">;
  archive: Pick<Archive, "records" | "withheld">;
  /** Never receives job content. */
  log: { warn(fields: Record<string, unknown>, message: string): void };
};

export type RemoteGateway = LeaseGateway<AnswerRequest, SourceAnswer> & {
  running(): number;
  abandon(): void;
  leave(): Promise<void>;
};

const againMs = 250;

/** Resends answers while the gateway is unreachable and the lease lasts. */
export function createRemoteGateway(context: RemoteGatewayContext): RemoteGateway {
  const { self, link, attestLoop, reachability, archive, clock, gatewayClock, log } = context;
  const opened = createOpenedLeases();
  const leases = createLeases(clock);

  async function open(leased: LeasedEnvelope): Promise<Lease<AnswerRequest> | null> {
    const { keys, keyId } = self;
    const { attested } = leased;
    const { gatewayKey } = attested;
    const receivedMs = clock.elapsed();
    try {
      const nowMs = gatewayClock.now();
      const job = await openJob(leased.envelope, { keys, keyId, gatewayKey, nowMs, opened });
      const { token, attempt, left_ms: leftMs, hold_ms: holdMs, request } = job.payload;
      const { uuid, answerSecret } = job;
      const lost = new AbortController();
      leases.add(token, { uuid, request, answerSecret, lost, untilMs: receivedMs + holdMs });
      const read = await readOrFail(uuid, token, () => ({
        work: readRequest(request),
        ...releaseIn(job, { ...context, attested, lost: lost.signal }),
      }));
      if (read === null) return null;
      // Upstreams get the node's own or released credentials.
      return {
        ...read,
        uuid,
        accountId: "",
        attempt,
        leftMs,
        token,
        leaseMs: holdMs,
        lost: lost.signal,
      };
    } catch (error) {
      const check = failedCheckOf(error);
      log.warn({ code: codeOf(error), check }, "rejected a job of the gateway");
      // The clocks may have diverged.
      if (check === "outside_time") attestLoop.again(receivedMs);
      return null;
    }
  }

  /** Null if unreadable, which is reported to the gateway. */
  async function readOrFail<Value>(
    uuid: string,
    token: string,
    read: () => Value,
  ): Promise<Value | null> {
    try {
      return read();
    } catch (error) {
      const fields = { uuid, code: codeOf(error), check: failedCheckOf(error) };
      log.warn(fields, "the request of a job is unreadable");
      await fail(token, unreadableRequest);
      return null;
    }
  }

  async function renew(uuid: string, token: string): Promise<number> {
    const lease = leases.get(token);
    const sentMs = clock.elapsed();
    try {
      const read = renewAnswer.safeParse(await link.post("renew", { job: uuid, token }));
      if (!read.success) throw unreachable("the gateway's answer to a renewal is malformed");
      lease.untilMs = sentMs + read.data.hold_ms;
      return read.data.hold_ms;
    } catch (error) {
      if (codeOf(error) === "lease_lost") leases.drop(token);
      // The lease may have expired during the request.
      leases.get(token);
      throw error;
    }
  }

  async function complete(token: string, result: SourceAnswer): Promise<void> {
    const { uuid, request } = leases.get(token);
    const attested = await whenAdmitted(token);
    const shown = await withRecords(archive, result);
    const answer = await withoutRefused(readRequest(request), shown, (check) =>
      log.warn({ uuid, check }, "omitted a record that does not match its request"),
    );
    const { keys, keyId } = self;
    const { attestationId, quoteSha256 } = attested;
    const body = answerBody(answer.items);
    const knowledge = knowledgeText(answer);
    const by = { evidence: context.evidence, quoteSha256, attestationId, keyId };
    const nowMs = gatewayClock.now();
    const fields = signResult({ body, job: uuid, request, knowledge, ...by, nowMs }, keys);
    const plain = answerBytes({ body, items: answer.items, knowledge, fields });
    const isAccepted = await send("complete", token, plain);
    if (!isAccepted) await fail(token, tooLarge);
  }

  async function fail(token: string, failure: LeaseFailure): Promise<void> {
    await send("fail", token, failureBytes(failure));
  }

  /** False if larger than the gateway accepts. */
  async function send(
    route: "complete" | "fail",
    token: string,
    plain: Uint8Array,
  ): Promise<boolean> {
    const { uuid, answerSecret, lost } = leases.get(token);
    const body = { job: uuid, token, ...encryptAnswer(answerSecret, plain) };
    for (;;) {
      await whenAdmitted(token);
      await reachability.turn(leases.leftMs(token), lost.signal);
      leases.get(token);
      try {
        await link.post(route, body);
        leases.end(token);
        return true;
      } catch (error) {
        const code = codeOf(error);
        if (code === "body_too_large" && route === "complete") return false;
        if (!isUnreachable(error) && code !== "node_unauthorized") {
          const isLost = code === "lease_lost";
          if (!isLost)
            log.warn({ uuid, code, check: failedCheckOf(error) }, "the gateway rejected an answer");
          leases.drop(token);
          throw leaseLost();
        }
        await clock.sleep(againMs, lost.signal);
      }
    }
  }

  async function whenAdmitted(token: string): Promise<Attested> {
    for (;;) {
      const { lost } = leases.get(token);
      const attested = await attestLoop.whenAdmitted(leases.leftMs(token), lost.signal);
      if (attested !== null) return attested;
    }
  }

  return {
    lease: async ({ methods }, waitMs, signal) => {
      const leased = await requestLease(context, methods, waitMs, signal);
      return leased === null ? null : await open(leased);
    },
    renew,
    complete: (_uuid, token, result) => complete(token, result),
    fail: (_uuid, token, failure) => fail(token, failure),
    running: leases.count,
    abandon: leases.dropAll,
    leave: async () => {
      await link.post("leave", {});
    },
  };
}

type LeasedJob = {
  uuid: string;
  request: string;
  answerSecret: AnswerSecret;
  lost: AbortController;
  untilMs: number;
};

/** Dropping or expiry aborts the work. */
function createLeases(clock: Pick<Clock, "elapsed">) {
  const leases = new Map<string, LeasedJob>();

  function get(token: string): LeasedJob {
    const lease = leases.get(token);
    if (lease !== undefined && clock.elapsed() < lease.untilMs) return lease;
    drop(token);
    throw leaseLost();
  }

  function drop(token: string): void {
    leases.get(token)?.lost.abort(leaseLost());
    leases.delete(token);
  }

  return {
    add: (token: string, lease: LeasedJob) => leases.set(token, lease),
    get,
    leftMs: (token: string) => get(token).untilMs - clock.elapsed(),
    end: (token: string) => leases.delete(token),
    drop,
    dropAll: () => {
      for (const token of [...leases.keys()]) drop(token);
    },
    count: () => leases.size,
  };
}

const unreadableRequest: LeaseFailure = {
  code: "request_unreadable",
  message: "the node cannot read the request",
  status: 500,
  retryable: true,
  hint: "use the same version of gateway and node",
};

const tooLarge: LeaseFailure = {
  code: "result_too_large",
  message: "the result is larger than the gateway accepts",
  status: 500,
  retryable: false,
  hint: "request fewer posts",
};
