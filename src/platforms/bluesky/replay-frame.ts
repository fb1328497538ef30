import { fieldsOf } from "../fields.ts";
import { decodeBlock } from "./block.ts";
import type { ReplayRow } from "./replay-block.ts";

/** Kinds of rows that are commits, by the operation that the stream calls them. */
const operations: ReadonlyMap<number, string> = new Map([
  [1, "create"],
  [2, "update"],
  [3, "delete"],
  // A record as it is after its repository was read anew: nobody can tell whether it is new, so it counts for no other post.
  [7, "update"],
]);

/** Kinds of rows that hold an event of com.atproto.sync.subscribeRepos as it came. */
const events: ReadonlyMap<number, "identity" | "account"> = new Map([
  [4, "identity"],
  [5, "account"],
]);

/**
 * The frame that Jetstream's `/subscribe` would send for a row of its archive, so that both are read in one way; null for what
 * that does not send. Throws when the row's payload is no CBOR.
 */
export function replayFrame(row: ReplayRow): string | null {
  const { did, timeUs, collection, rkey, rev, kind, payload } = row;
  const operation = operations.get(kind);
  if (operation !== undefined) {
    const record = operation === "delete" ? {} : { record: decodeBlock(payload) };
    const commit = { rev, operation, collection, rkey, ...record };
    return JSON.stringify({ did, time_us: timeUs, kind: "commit", commit });
  }
  const name = events.get(kind);
  if (name === undefined) return null;
  const { handle, active, status } = fieldsOf(decodeBlock(payload));
  const event = { did, handle, active, status };
  return JSON.stringify({ did, time_us: timeUs, kind: name, [name]: event });
}
