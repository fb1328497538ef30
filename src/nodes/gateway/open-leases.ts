import type { AnswerOpener } from "../protocol/sealed-job.ts";
import type { GatewayWork } from "./context.ts";
import type { Session } from "./sessions.ts";

/** A job that a run holds, with what its answer is opened with. */
export type OpenLease = {
  readonly session: Session;
  readonly job: string;
  readonly token: string;
  readonly work: GatewayWork;
  /** What was sealed of it: what the answer has to be signed for. */
  readonly request: string;
  readonly opener: AnswerOpener;
  /** By the gateway's clock, Unix milliseconds. */
  readonly sealedMs: number;
  /** What is being done with the answer that came; null until one comes. */
  handingIn: Promise<void> | null;
};

/** By run and token. A lease is there as long as an answer to it is taken. */
export type OpenLeases = {
  add(lease: OpenLease): void;
  /** Of this run alone; undefined for everything else. */
  find(session: Session, job: string, token: string): OpenLease | undefined;
  drop(lease: OpenLease): void;
  of(session: Session): readonly OpenLease[];
  dropOf(session: Session): void;
};

export function createOpenLeases(): OpenLeases {
  const leases = new Map<Session, Map<string, OpenLease>>();

  return {
    add: (lease) => {
      const held = leases.get(lease.session) ?? new Map<string, OpenLease>();
      leases.set(lease.session, held.set(lease.token, lease));
    },
    find: (session, job, token) => {
      const lease = leases.get(session)?.get(token);
      return lease?.job === job ? lease : undefined;
    },
    drop: ({ session, token }) => {
      const held = leases.get(session);
      held?.delete(token);
      if (held?.size === 0) leases.delete(session);
    },
    of: (session) => [...(leases.get(session)?.values() ?? [])],
    dropOf: (session) => {
      leases.delete(session);
    },
  };
}
