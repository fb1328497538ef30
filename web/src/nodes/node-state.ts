import type { NodeStatusResponse } from "../../../src/http/dashboard/contract/status.ts";
import type { Tone } from "../components/note.tsx";
import { coarseDuration, fromNow } from "../components/time.tsx";

export type NodeStateText = { label: string; tone: Tone | null; detail: string };

/** A reason why the node does no work takes precedence over its connection. */
export function nodeStateText(node: NodeStatusResponse, nowMs: number): NodeStateText {
  const { quarantine, connected_at: connectedAt, seen_at: seenAt } = node;
  if (quarantine !== null) {
    const end = quarantine.until === null ? "" : `; ends ${fromNow(quarantine.until, nowMs)}`;
    return { label: "quarantined", tone: "danger", detail: `${quarantine.reason}${end}` };
  }
  if (node.state === "pending") {
    return { label: "pending", tone: "caution", detail: "gets no jobs until it is approved" };
  }
  if (node.state === "draining") {
    return { label: "draining", tone: "caution", detail: "gets no new jobs" };
  }
  if (!node.is_connected) {
    const detail = seenAt === null ? "" : `last seen ${fromNow(seenAt, nowMs)}`;
    return { label: "not connected", tone: null, detail };
  }
  const detail =
    connectedAt === null ? "" : `for ${coarseDuration(nowMs - Date.parse(connectedAt))}`;
  return { label: "connected", tone: "accent", detail };
}
