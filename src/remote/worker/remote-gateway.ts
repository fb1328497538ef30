import type { Lease, LeaseFailure, LeaseGateway } from "../../jobs/lease.ts";
import type { AnswerRequest, SourceAnswer } from "../../platforms/source.ts";
import { renewAnswer } from "../protocol/messages.ts";
import { createOpenedLeases, openJob } from "../protocol/sealed-job.ts";
import { readRequest } from "../protocol/texts.ts";
import type { NodeSelf } from "./attest.ts";
import type { AttestLoop } from "./attest-loop.ts";
import { checkOf, codeOf, unreachable } from "./gateway-faults.ts";
import { createHandIn, type HandInContext } from "./hand-in.ts";
import { createHeldLeases } from "./held-leases.ts";
import { createLeasePolls, type GivenJob, type LeasePollsContext } from "./lease-polls.ts";
import { releaseIn } from "./released-credential.ts";

export type RemoteGatewayContext = LeasePollsContext &
  HandInContext & {
    self: NodeSelf;
    attestLoop: Pick<AttestLoop, "whenAdmitted" | "again" | "admitted">;
  };

/** The gateway as the runners of a node see it: what they lease is opened here, and what they hand in signed and sealed. */
export type RemoteGateway = LeaseGateway<AnswerRequest, SourceAnswer> & {
  /** Jobs under way. */
  running(): number;
  /** Lets go of everything that is under way: its runners stop, and nothing of it is handed in. */
  abandon(): void;
  /** Tells the gateway that the node stops, so that others get what it held. */
  leave(): Promise<void>;
};

export function createRemoteGateway(context: RemoteGatewayContext): RemoteGateway {
  const { self, link, attestLoop, clock, gatewayClock, log } = context;
  const opened = createOpenedLeases();
  const held = createHeldLeases(clock);
  const polls = createLeasePolls(context);
  const { complete, fail } = createHandIn(context, held);

  /** The lease in an envelope; null where it is not to be run, which the log tells. */
  async function taken({ envelope, attested }: GivenJob): Promise<Lease<AnswerRequest> | null> {
    const { keys, keyId } = self;
    const { gatewayKey } = attested;
    const receivedMs = clock.elapsed();
    try {
      const nowMs = gatewayClock.now();
      const job = await openJob(envelope, { keys, keyId, gatewayKey, nowMs, opened });
      const { token, attempt, left_ms: leftMs, hold_ms: holdMs, request } = job.payload;
      const { uuid } = job;
      const lost = new AbortController();
      held.add(token, { uuid, request, sealer: job.sealer, lost, untilMs: receivedMs + holdMs });
      const read = await readable(uuid, token, () => ({
        work: readRequest(request),
        ...releaseIn(job, { ...context, attested, lost: lost.signal }),
      }));
      if (read === null) return null;
      // Whose job it is stays with the gateway: platforms are asked with the node's own credentials, and with what was released.
      return { ...read, uuid, accountId: "", attempt, leftMs, token, holdMs, lost: lost.signal };
    } catch (fault) {
      const check = checkOf(fault);
      log.warn({ code: codeOf(fault), check }, "a job of the gateway was not taken");
      // Its clock and this node's may have come apart.
      if (check === "outside_time") attestLoop.again(receivedMs);
      return null;
    }
  }

  /** What a job holds; null where it cannot be read, which the gateway is told. */
  async function readable<Value>(
    uuid: string,
    token: string,
    read: () => Value,
  ): Promise<Value | null> {
    try {
      return read();
    } catch (fault) {
      const code = codeOf(fault);
      log.warn({ uuid, code, check: checkOf(fault) }, "the request of a job cannot be read");
      await fail(token, unreadableRequest);
      return null;
    }
  }

  async function renew(uuid: string, token: string): Promise<number> {
    const lease = held.get(token);
    const sentMs = clock.elapsed();
    try {
      const read = renewAnswer.safeParse(await link.post("renew", { job: uuid, token }));
      if (!read.success) throw unreachable("the gateway's answer to a renewal is malformed");
      const { hold_ms: holdMs } = read.data;
      lease.untilMs = sentMs + holdMs;
      return holdMs;
    } catch (fault) {
      if (codeOf(fault) === "lease_lost") held.drop(token);
      // It may have lapsed while the gateway was not to be reached, or this process stood still.
      held.get(token);
      throw fault;
    }
  }

  return {
    lease: ({ methods }, waitMs, signal) => polls.poll(methods, waitMs, signal, taken),
    renew,
    complete: (_uuid, token, result) => complete(token, result),
    fail: (_uuid, token, failure) => fail(token, failure),
    running: held.count,
    abandon: held.dropAll,
    leave: async () => {
      await link.post("leave", {});
    },
  };
}

const unreadableRequest: LeaseFailure = {
  code: "request_unreadable",
  message: "the node cannot read what is asked",
  status: 500,
  retryable: true,
  hint: "gateway and node may be of versions that do not fit",
};
