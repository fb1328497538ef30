import { foldHandle } from "@earshot/query/text";
import { lookupHash, numberedId, parseXId, postTimeMs, uriNumber } from "../../posts/ids.ts";
import type { Post } from "../../posts/post.ts";
import { encodeRecord } from "../../posts/record.ts";
import { indexTerms } from "../../posts/terms.ts";
import type { ArchiveChange, WriteReport } from "../archive.ts";
import { isAccountId } from "../catalog/moderation.ts";
import type {
  PreparedAliasDelete,
  PreparedChange,
  PreparedDelete,
  PreparedHandle,
  PreparedPost,
} from "../prepared.ts";

type ChangeOf<Kind extends ArchiveChange["kind"]> = Extract<ArchiveChange, { kind: Kind }>;

export type PreparedChanges = {
  changes: PreparedChange[];
  aliasDeletes: PreparedAliasDelete[];
  handles: PreparedHandle[];
  counts: ChangeOf<"count">[];
  accounts: ChangeOf<"account">[];
  profiles: ChangeOf<"profile">[];
  labels: ChangeOf<"label">[];
  lookUps: ChangeOf<"looked-up">[];
};

export const noChanges: PreparedChanges = {
  changes: [],
  aliasDeletes: [],
  handles: [],
  counts: [],
  accounts: [],
  profiles: [],
  labels: [],
  lookUps: [],
};

export type Preparation = { add(change: ArchiveChange): void; prepared(): PreparedChanges };

/** `nowMs` caps the times of posts that no network has observed. */
export function startPreparation(uriKey: string, nowMs: number): Preparation {
  const prepared: PreparedChanges = {
    changes: [],
    aliasDeletes: [],
    handles: [],
    counts: [],
    accounts: [],
    profiles: [],
    labels: [],
    lookUps: [],
  };
  const handles = createHandles();

  function add(change: ArchiveChange): void {
    switch (change.kind) {
      case "upsert": {
        prepared.changes.push(preparePost(change, uriKey, nowMs));
        const author = prepareHandle(change.post);
        if (author !== null) handles.add(author);
        return;
      }
      case "delete":
        prepared.changes.push(prepareDelete(change, uriKey));
        return;
      case "delete-stored": {
        const { platform, name, revision } = change;
        const hash = lookupHash(uriKey, name);
        prepared.aliasDeletes.push({ platform, name, hash, revision });
        return;
      }
      case "handle": {
        const { platform, userId, handle, observedMs } = change;
        handles.add({
          platform,
          userId: userId.toLowerCase(),
          handle: foldHandle(handle),
          observedMs,
        });
        return;
      }
      case "count":
        prepared.counts.push(change);
        return;
      case "account":
        prepared.accounts.push({ ...change, userId: change.userId.toLowerCase() });
        return;
      case "profile":
        prepared.profiles.push({ ...change, userId: change.userId.toLowerCase() });
        return;
      case "label":
        prepared.labels.push({ ...change, subject: foldSubject(change.subject) });
        return;
      case "looked-up":
        prepared.lookUps.push({ ...change, userId: change.userId.toLowerCase() });
    }
  }

  return { add, prepared: () => ({ ...prepared, handles: handles.all() }) };
}

export function createHandles() {
  const handles = new Map<string, PreparedHandle>();
  return {
    add(entry: PreparedHandle): void {
      const key = `${entry.platform} ${entry.userId} ${entry.handle}`;
      const known = handles.get(key);
      if (known === undefined || known.observedMs < entry.observedMs) handles.set(key, entry);
    },
    all: (): PreparedHandle[] => [...handles.values()],
  };
}

/** Account ids are case-insensitive; uris are not. */
const foldSubject = (subject: string): string =>
  isAccountId(subject) ? subject.toLowerCase() : subject;

function prepareDelete(
  { platform, uri, revision }: ArchiveChange & { kind: "delete" },
  uriKey: string,
): PreparedDelete {
  const id = platform === "x" ? parseXId(uri) : null;
  const hash = id === null ? lookupHash(uriKey, uri) : null;
  return { kind: "delete", platform, uri, hash, id, revision };
}

export function preparePost(
  { post, alias }: ChangeOf<"upsert">,
  uriKey: string,
  nowMs: number,
): PreparedPost {
  const timeMs = postTimeMs(post, nowMs);
  return {
    kind: "upsert",
    platform: post.platform,
    uri: post.uri,
    ...identity(post, timeMs, uriKey),
    timeMs,
    timeIsCapped: post.seenMs === null && post.createdMs !== null && post.createdMs > timeMs,
    counts: post.counts,
    revision: post.revision,
    imported: post.origin === "import",
    userId: post.userId?.toLowerCase() ?? null,
    lacksHandle: post.userId !== null && post.username === "",
    observedMs: post.seenMs ?? timeMs,
    record: encodeRecord(post, timeMs),
    terms: indexTerms(post).join(" "),
    alias: alias === undefined ? null : { hash: lookupHash(uriKey, alias), name: alias },
  };
}

function identity(post: Post, timeMs: number, uriKey: string): Pick<PreparedPost, "hash" | "id"> {
  if (post.nativeId !== null) return { hash: null, id: post.nativeId };
  return {
    hash: lookupHash(uriKey, post.uri),
    id: numberedId(timeMs, uriNumber(post.uri)),
  };
}

/**
 * Ignores handles that a post claims for other accounts, because they may be false. Imported
 * handles never override observed ones.
 */
export function prepareHandle({
  platform,
  userId,
  username,
  origin,
  seenMs,
}: Post): PreparedHandle | null {
  if (userId === null || userId === "" || username === "") return null;
  const observedMs = origin === "import" ? 0 : (seenMs ?? 0);
  return { platform, userId: userId.toLowerCase(), handle: foldHandle(username), observedMs };
}

/**
 * Keeps one of several changes to a uri: that of the latest revision, or the last one without
 * revisions. An observed post wins over an imported one.
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
    const droppedChange = isNewer ? earlier : change;
    if (droppedChange.kind === "upsert") {
      const isDelete = (isNewer ? change : earlier).kind === "delete";
      report[isDelete ? "suppressed" : "unchanged"] += 1;
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
