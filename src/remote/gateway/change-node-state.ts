import type { Database, Steps } from "../../db/statements.ts";
import { EarshotError } from "../../lib/errors.ts";
import { type NodeRecord, type NodeState, requireNode } from "./node-record.ts";
import { insertEvents } from "./node-store.ts";

/** Approval ends a quarantine; approving again unbinds the node from its machine. */
export function* changeNodeState(
  database: Database,
  { id, state, nowMs }: { id: string; state: Exclude<NodeState, "pending">; nowMs: number },
): Steps<NodeRecord> {
  const before = yield* requireNode(database, id);
  if (before.state === "removed" && state !== "removed") throw nodeRemoved(id);
  if (before.state === "pending" && state === "draining") throw nodeNotApproved(id);
  const isQuarantined = (before.quarantinedUntilMs ?? 0) > nowMs;
  const isAgain = before.state === "approved" && state === "approved" && !isQuarantined;
  yield* database.run(
    `UPDATE node SET state = :state, machine = CASE WHEN :isAgain = 1 THEN NULL ELSE machine END WHERE id = :id`,
    { id, state, isAgain: isAgain ? 1 : 0 },
  );
  if (state === "approved") {
    yield* database.run(
      "UPDATE node SET quarantined_until_ms = NULL, quarantine_reason = NULL, quarantines = 0 WHERE id = :id",
      { id },
    );
  }
  const detail = isAgain ? "approved again" : `was ${before.state}`;
  yield* insertEvents(database, [{ atMs: nowMs, nodeId: id, action: state, detail }]);
  return yield* requireNode(database, id);
}

const nodeRemoved = (id: string): EarshotError =>
  new EarshotError("node_removed", `node ${id} was removed permanently`, {
    status: 409,
    hint: "delete node.key in its data folder and restart it to get a new identity",
  });

const nodeNotApproved = (id: string): EarshotError =>
  new EarshotError("node_not_approved", `node ${id} awaits approval`, {
    status: 409,
    hint: "use earshot nodes approve or earshot nodes remove",
  });
