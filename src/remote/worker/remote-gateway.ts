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
import { withRecords } from "../../search/merge/answer-records.ts";
import { answerBody, answerBytes } from "../protocol/answer.ts";
import { type AnswerKey, encryptAnswer } from "../protocol/encrypted-answer.ts";
import { createOpenedLeases, type OpenedJob, openJob } from "../protocol/encrypted-job.ts";
import { jobRefused } from "../protocol/errors.ts";
import { renewResponse } from "../protocol/messages.ts";
import { signResult } from "../protocol/signed-result.ts";
import { failureBytes, knowledgeText, readRequest } from "../protocol/texts.ts";
import { dropRefusedRecords } from "./answers.ts";
import type { AttestationResult } from "./attest.ts";
import type { AttestLoop } from "./attest-loop.ts";
import { errorCode, findFailedCheck, isUnreachable, unreachable } from "./gateway-errors.ts";
import type { GatewayLink } from "./gateway-link.ts";
import type { GatewayClock, Reachability } from "./gateway-state.ts";
import type { NodeSelf } from "./self.ts";

export type RemoteGatewayContext = {
  self: Pick<NodeSelf, "keys" | "keyId">;
  evidence: EvidenceKind;
  link: GatewayLink;
  attestLoop: Pick<AttestLoop, "whenAdmitted" | "attestAgain" | "admitted">;
  reachability: Pick<Reachability, "waitOutBackoff">;
  archive: Pick<Archive, "records" | "withheld">;
  clock: Clock;
  gatewayClock: Pick<GatewayClock, "now">;
  /** Never receives the content of jobs. */
  log: { warn(fields: Record<string, unknown>, message: string): void };
};

export type RemoteGateway = LeaseGateway<AnswerRequest, SourceAnswer> & {
  running(): number;
  abortJobs(): void;
  leave(): Promise<void>;
};

type LeasedJob = {
  uuid: string;
  request: string;
  answerKey: AnswerKey;
  lost: AbortController;
  expiresAtMs: number;
};

const resendPauseMs = 250;

/** Minimum duration of a lease request, in case the gateway returns immediately without a job. */
const minRequestMs = 500;

/** Resends answers while the gateway is unreachable and the lease lasts. */
export function createRemoteGateway(context: RemoteGatewayContext): RemoteGateway {
  const { self, link, attestLoop, reachability, archive, clock, gatewayClock, log } = context;
  const { keys, keyId } = self;
  const openedLeases = createOpenedLeases();
  const leases = new Map<string, LeasedJob>();

  function tokenLease(token: string): LeasedJob {
    const lease = leases.get(token);
    if (lease !== undefined && clock.elapsed() < lease.expiresAtMs) return lease;
    drop(token);
    throw leaseLost();
  }

  function drop(token: string): void {
    leases.get(token)?.lost.abort(leaseLost());
    leases.delete(token);
  }

  const remainingLeaseMs = (token: string): number =>
    tokenLease(token).expiresAtMs - clock.elapsed();

  async function open(
    envelope: unknown,
    attestation: AttestationResult,
  ): Promise<Lease<AnswerRequest> | null> {
    const { gatewayKey } = attestation;
    const receivedMs = clock.elapsed();
    try {
      const nowMs = gatewayClock.now();
      const job = await openJob(envelope, { keys, keyId, gatewayKey, nowMs, openedLeases });
      const { uuid, answerKey, payload } = job;
      const { token, attempt, left_ms: remainingMs, hold_ms: leaseMs, request } = payload;
      const lost = new AbortController();
      leases.set(token, { uuid, request, answerKey, lost, expiresAtMs: receivedMs + leaseMs });
      try {
        const work = readRequest(request);
        const fields = { work, ...releaseIn(job, attestation, lost.signal) };
        // `accountId` is unused: upstreams use the node's own or released credentials.
        return {
          ...fields,
          uuid,
          accountId: "",
          attempt,
          remainingMs,
          token,
          leaseMs,
          lostSignal: lost.signal,
        };
      } catch (error) {
        const fields = { uuid, code: errorCode(error), check: findFailedCheck(error) };
        log.warn(fields, "a job's request is unreadable");
        await fail(token, unreadableRequest);
      }
    } catch (error) {
      const check = findFailedCheck(error);
      log.warn({ code: errorCode(error), check }, "rejected a job from the gateway");
      // The clocks may have diverged.
      if (check === "outside_time") attestLoop.attestAgain(receivedMs);
    }
    return null;
  }

  /** The job's credential, usable until it or the lease expires. */
  function releaseIn(
    { payload: { credential }, release }: OpenedJob,
    { attestationId }: AttestationResult,
    lost: AbortSignal,
  ): Pick<Lease<unknown>, "released"> {
    if (credential === undefined || release === undefined) return {};
    const currentId = attestLoop.admitted()?.attestationId;
    if (![attestationId, currentId].includes(release.attestation)) {
      throw jobRefused("other_attestation", "the credential was released to another attestation");
    }
    const remainingMs = release.expires_at * 1_000 - gatewayClock.now();
    if (remainingMs <= 0) throw jobRefused("credential_expired", "the credential has expired");
    const expiresAtMs = clock.elapsed() + remainingMs;
    return {
      released: { credential, hasExpired: () => lost.aborted || clock.elapsed() >= expiresAtMs },
    };
  }

  async function complete(token: string, result: SourceAnswer): Promise<void> {
    const { uuid, request } = tokenLease(token);
    const { attestationId, quoteSha256 } = await whenAdmitted(token);
    const answerWithRecords = await withRecords(archive, result);
    const answer = await dropRefusedRecords(readRequest(request), answerWithRecords, (check) =>
      log.warn({ uuid, check }, "omitted a record that does not match its request"),
    );
    const body = answerBody(answer.items);
    const knowledge = knowledgeText(answer);
    const signer = { evidence: context.evidence, quoteSha256, attestationId, keyId };
    const nowMs = gatewayClock.now();
    const fields = signResult({ body, job: uuid, request, knowledge, ...signer, nowMs }, keys);
    const plaintext = answerBytes({ body, items: answer.items, knowledge, fields });
    const isAccepted = await send("complete", token, plaintext);
    if (!isAccepted) await fail(token, tooLargeFailure);
  }

  async function fail(token: string, failure: LeaseFailure): Promise<void> {
    await send("fail", token, failureBytes(failure));
  }

  /** False if the body is larger than the gateway accepts. */
  async function send(
    route: "complete" | "fail",
    token: string,
    plaintext: Uint8Array,
  ): Promise<boolean> {
    const { uuid, answerKey, lost } = tokenLease(token);
    const body = { job: uuid, token, ...encryptAnswer(answerKey, plaintext) };
    for (;;) {
      await whenAdmitted(token);
      await reachability.waitOutBackoff(remainingLeaseMs(token), lost.signal);
      tokenLease(token);
      try {
        await link.post(route, body);
        leases.delete(token);
        return true;
      } catch (error) {
        const code = errorCode(error);
        if (code === "body_too_large" && route === "complete") return false;
        if (!isUnreachable(error) && code !== "node_unauthorized") {
          if (code !== "lease_lost")
            log.warn(
              { uuid, code, check: findFailedCheck(error) },
              "the gateway rejected an answer",
            );
          drop(token);
          throw leaseLost();
        }
        await clock.sleep(resendPauseMs, lost.signal);
      }
    }
  }

  async function whenAdmitted(token: string): Promise<AttestationResult> {
    for (;;) {
      const { lost } = tokenLease(token);
      const attestation = await attestLoop.whenAdmitted(remainingLeaseMs(token), lost.signal);
      if (attestation !== null) return attestation;
    }
  }

  return {
    /** Also null while the gateway is unreachable or does not know the node. */
    lease: async ({ methods }, waitMs, signal) => {
      const endMs = clock.elapsed() + waitMs;
      const attestation = await attestLoop.whenAdmitted(waitMs, signal);
      if (attestation === null) return null;
      if (!(await reachability.waitOutBackoff(endMs - clock.elapsed(), signal))) return null;
      const sentMs = clock.elapsed();
      const openMs = Math.max(0, Math.min(Math.round(endMs - sentMs), attestation.leaseWaitMs));
      const options = { openMs, ...(signal && { signal }) };
      const envelope = await link
        .post("lease", { methods, wait_ms: openMs }, options)
        .catch((error: unknown) => {
          if (isUnreachable(error) || errorCode(error) === "node_unauthorized") return null;
          throw error;
        });
      if (envelope !== null) return await open(envelope, attestation);
      const remainingMs = Math.min(minRequestMs, openMs) - (clock.elapsed() - sentMs);
      if (remainingMs > 0) await clock.sleep(remainingMs, signal);
      return null;
    },
    renew: async (uuid, token) => {
      const lease = tokenLease(token);
      const sentMs = clock.elapsed();
      try {
        const renewal = renewResponse.safeParse(await link.post("renew", { job: uuid, token }));
        if (!renewal.success) throw unreachable("the gateway's renewal response is malformed");
        lease.expiresAtMs = sentMs + renewal.data.hold_ms;
        return renewal.data.hold_ms;
      } catch (error) {
        if (errorCode(error) === "lease_lost") drop(token);
        // The lease may have expired during the request.
        tokenLease(token);
        throw error;
      }
    },
    complete: (_uuid, token, result) => complete(token, result),
    fail: (_uuid, token, failure) => fail(token, failure),
    running: () => leases.size,
    abortJobs: () => {
      for (const token of [...leases.keys()]) drop(token);
    },
    leave: async () => {
      await link.post("leave", {});
    },
  };
}

const unreadableRequest: LeaseFailure = {
  code: "request_unreadable",
  message: "the node cannot read the request",
  status: 500,
  retryable: true,
  hint: "use the same version of the gateway and the node",
};

const tooLargeFailure: LeaseFailure = {
  code: "result_too_large",
  message: "the result is larger than the gateway accepts",
  status: 500,
  retryable: false,
  hint: "request fewer posts",
};
