import type { Database } from "../../db/open.ts";
import { EarshotError } from "../../lib/errors.ts";
import { insertEvents } from "./node-events.ts";
import { type NodeRecord, nodeOf } from "./node-store.ts";

type RequestedNodeState = "approved" | "draining" | "removed";

/**
 * Runs in the caller's transaction. Approval ends a quarantine. Approving an approved, unquarantined node unbinds it from its
 * machine until it attests next. Errors: `node_not_found`; `node_not_approved` for draining a pending node; `node_removed`.
 */
export function changeNodeState(
  database: Database,
  { id, state, nowMs }: { id: string; state: RequestedNodeState; nowMs: number },
): NodeRecord {
  const before = nodeOf(database, id);
  if (before === null) throw nodeNotFound(id);
  if (before.state === "removed" && state !== "removed") throw nodeRemoved(id);
  if (before.state === "pending" && state === "draining") throw nodeNotApproved(id);
  const isQuarantined = (before.quarantinedUntilMs ?? 0) > nowMs;
  const isAgain = before.state === "approved" && state === "approved" && !isQuarantined;
  database.run(
    `UPDATE node SET state = :state, machine = iif(:isAgain, NULL, machine) WHERE id = :id`,
    { id, state, isAgain: isAgain ? 1 : 0 },
  );
  if (state === "approved") {
    database.run(
      "UPDATE node SET quarantined_until_ms = NULL, quarantine_reason = NULL, quarantines = 0 WHERE id = :id",
      { id },
    );
  }
  const detail = isAgain ? "approved again" : `was ${before.state}`;
  insertEvents(database, [{ atMs: nowMs, nodeId: id, action: state, detail }]);
  const changed = nodeOf(database, id);
  if (changed === null) throw nodeNotFound(id);
  return changed;
}

const nodeNotFound = (id: string): EarshotError =>
  new EarshotError("node_not_found", `there is no node ${JSON.stringify(id)}`, {
    status: 404,
    hint: "earshot nodes list shows the ids of all",
  });

const nodeRemoved = (id: string): EarshotError =>
  new EarshotError("node_removed", `node ${id} was removed, which is for good`, {
    status: 409,
    hint: "remove node.key from its data folder and start it again: it comes as another node",
  });

const nodeNotApproved = (id: string): EarshotError =>
  new EarshotError("node_not_approved", `node ${id} waits for approval and gets no work`, {
    status: 409,
    hint: "earshot nodes approve lets it in, earshot nodes remove keeps it out",
  });
