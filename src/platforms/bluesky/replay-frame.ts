import { asFields } from "../fields.ts";
import { decodeBlock } from "./block.ts";
import type { ReplayRow } from "./replay-block.ts";

const operations: ReadonlyMap<number, string> = new Map([
  [1, "create"],
  [2, "update"],
  [3, "delete"],
  // A repository resync. The record may not be new, so it does not raise counts of other posts.
  [7, "update"],
]);

/** Their rows contain the unmodified event of com.atproto.sync.subscribeRepos. */
const events: ReadonlyMap<number, "identity" | "account"> = new Map([
  [4, "identity"],
  [5, "account"],
]);

/**
 * In the format of Jetstream's `/subscribe`, so that one parser reads both; null for other kinds.
 * Throws unless the payload is CBOR.
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
  const { handle, active, status } = asFields(decodeBlock(payload));
  const event = { did, handle, active, status };
  return JSON.stringify({ did, time_us: timeUs, kind: name, [name]: event });
}
