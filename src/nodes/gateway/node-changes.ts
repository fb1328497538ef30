import type { Database } from "../../db/open.ts";
import { EarshotError } from "../../lib/errors.ts";
import { insertEvents } from "./node-events.ts";
import { type NodeRecord, nodeOf } from "./node-store.ts";

/** What an operator makes of a node. */
export type AskedNodeState = "approved" | "draining" | "removed";

/**
 * Changes a node's state, in the transaction of its caller. Approving lifts a quarantine. Of a node that is approved and not quarantined
 * it takes back which machine it is bound to: the one that it attests from next counts. Errors: `node_not_found`,
 * `node_not_approved` for draining one that waits for approval, `node_removed`.
 */
export function changeNodeState(
  database: Database,
  { id, state, nowMs }: { id: string; state: AskedNodeState; nowMs: number },
): NodeRecord {
  const held = nodeOf(database, id);
  if (held === null) throw nodeNotFound(id);
  if (held.state === "removed" && state !== "removed") throw nodeRemoved(id);
  if (held.state === "pending" && state === "draining") throw nodeNotApproved(id);
  const isQuarantined = (held.quarantinedUntilMs ?? 0) > nowMs;
  const isAgain = held.state === "approved" && state === "approved" && !isQuarantined;
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
  const detail = isAgain ? "approved again" : `was ${held.state}`;
  insertEvents(database, [{ atMs: nowMs, nodeId: id, action: state, detail }]);
  const changed = nodeOf(database, id);
  if (changed === null) throw nodeNotFound(id);
  return changed;
}

function nodeNotFound(id: string): EarshotError {
  return new EarshotError("node_not_found", `there is no node ${JSON.stringify(id)}`, {
    status: 404,
    hint: "earshot nodes list shows the ids of all",
  });
}

function nodeRemoved(id: string): EarshotError {
  return new EarshotError("node_removed", `node ${id} was removed, which is for good`, {
    status: 409,
    hint: "remove node.key from its data folder and start it again: it comes as another node",
  });
}

function nodeNotApproved(id: string): EarshotError {
  return new EarshotError("node_not_approved", `node ${id} waits for approval and gets no work`, {
    status: 409,
    hint: "earshot nodes approve lets it in, earshot nodes remove keeps it out",
  });
}
