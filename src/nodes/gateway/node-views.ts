import type { Clock } from "../../lib/clock.ts";
import { methodNames } from "../../platforms/methods.ts";
import type { Eligibility } from "./eligibility.ts";
import type { NodeView } from "./gateway.ts";
import type { NodeRecord } from "./node-store.ts";
import { isQuarantined } from "./penalties.ts";
import type { Session, Sessions } from "./sessions.ts";

/** A node as others are told of it. */
export function viewOf(
  record: NodeRecord,
  {
    clock,
    sessions,
    eligibility,
  }: { clock: Pick<Clock, "now">; sessions: Sessions; eligibility: Eligibility },
): NodeView {
  const session = sessions.ofNode(record.id);
  const isHeld = isQuarantined(record, clock);
  return {
    id: record.id,
    name: record.name,
    keyId: session?.keyId ?? null,
    evidence: record.evidence,
    state: isHeld && record.state === "approved" ? "quarantined" : record.state,
    isConnected: session !== undefined && eligibility.isConnected(session),
    capabilities: record.capabilities,
    takes: session === undefined ? [] : takenBy(session, eligibility),
    concurrency: record.concurrency,
    running: session === undefined ? 0 : eligibility.running(session),
    url: record.url,
    version: record.version,
    attestationId: record.state === "pending" ? null : record.attestationId,
    attestedMs: record.attestedMs,
    connectedMs: session?.connectedMs ?? null,
    seenMs: record.seenMs,
    quarantinedUntilMs: isHeld ? record.quarantinedUntilMs : null,
    quarantineReason: isHeld ? record.quarantineReason : null,
    jobsDone: record.jobsDone,
    jobsFailed: record.jobsFailed,
  };
}

const takenBy = (session: Session, eligibility: Eligibility) =>
  methodNames.filter((method) => eligibility.takes(session, method));
