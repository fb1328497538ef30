import type { WriteReport } from "../archive.ts";
import type { PreparedChange } from "../prepared.ts";

/**
 * Keeps one of several changes to a uri: that of the latest revision, or the last if they have
 * none. An observed post wins over an imported one.
 */
export function latestChanges(changes: readonly PreparedChange[]): {
  changes: PreparedChange[];
  report: WriteReport;
} {
  const report = { inserted: 0, updated: 0, unchanged: 0, deleted: 0, suppressed: 0 };
  if (areDistinct(changes)) return { changes: [...changes], report };
  const latest = new Map<string, PreparedChange>();
  for (const change of changes) {
    const key = `${change.platform} ${change.uri}`;
    const earlier = latest.get(key);
    const isNewer = earlier === undefined || supersedes(change, earlier);
    if (isNewer) latest.set(key, change);
    if (earlier === undefined) continue;
    const dropped = isNewer ? earlier : change;
    if (dropped.kind === "upsert") {
      const isDeleteKept = (isNewer ? change : earlier).kind === "delete";
      report[isDeleteKept ? "suppressed" : "unchanged"] += 1;
    }
  }
  return { changes: [...latest.values()], report };
}

const areDistinct = (changes: readonly PreparedChange[]): boolean =>
  changes.every(({ kind, platform }) => kind === "upsert" && platform === "x") &&
  haveDistinctIds(changes);

function supersedes(later: PreparedChange, earlier: PreparedChange): boolean {
  if (later.kind === "upsert" && earlier.kind === "upsert") {
    if (later.imported !== earlier.imported) return earlier.imported;
    return later.revision === "" || earlier.revision === "" || later.revision > earlier.revision;
  }
  if (later.kind === "delete") return later.revision >= earlier.revision;
  return later.revision > earlier.revision;
}

export function haveDistinctIds(
  posts: readonly { hash: bigint | null; id: bigint | null }[],
): boolean {
  const ids = new BigInt64Array(posts.length);
  for (const [index, { hash, id }] of posts.entries()) {
    if (hash !== null || id === null) return false;
    ids[index] = id;
  }
  ids.sort();
  return ids.every((id, index) => index === 0 || id !== ids[index - 1]);
}
