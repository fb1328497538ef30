import { hashUri, numberedId, postTimeMs, xIdOf } from "../posts/ids.ts";
import type { Platform, Post, PostCounts } from "../posts/post.ts";
import { encodeRecord } from "../posts/record.ts";
import { accountKey, indexTerms } from "../posts/terms.ts";
import { foldHandle } from "../text/entities.ts";
import type { ArchiveChange } from "./archive.ts";

/** A post as the writer stores it: everything that needs the analyzer is done. */
export type PreparedPost = {
  kind: "upsert";
  platform: Platform;
  uri: string;
  /** Looks the uri up; null where the ID follows from the uri (X). */
  hash: bigint | null;
  /** The ID to try first; an X post's own. */
  id: bigint;
  timeMs: number;
  counts: PostCounts;
  revision: string;
  imported: boolean;
  record: string;
  terms: string;
};

export type PreparedChange = PreparedPost | PreparedDelete;

type PreparedDelete = {
  kind: "delete";
  platform: Platform;
  uri: string;
  hash: bigint | null;
  /** The ID under which the post lies, where the uri tells it (X). */
  id: bigint | null;
  revision: string;
};

export type PreparedHandle = {
  platform: Platform;
  userId: string;
  handle: string;
  observedMs: number;
};

export type PreparedChanges = { changes: PreparedChange[]; handles: PreparedHandle[] };

/** Does what writing needs of the analyzer, on the caller's thread. `nowMs` caps times that no network has seen. */
export function prepareChanges(
  changes: readonly ArchiveChange[],
  uriKey: string,
  nowMs: number,
): PreparedChanges {
  const prepared: PreparedChange[] = [];
  const handles = new Map<string, PreparedHandle>();
  const addHandle = (entry: PreparedHandle): void => {
    const key = `${entry.platform} ${entry.userId} ${entry.handle}`;
    const known = handles.get(key);
    if (known === undefined || known.observedMs < entry.observedMs) handles.set(key, entry);
  };
  for (const change of changes) {
    if (change.kind === "handle") {
      addHandle({
        ...change,
        userId: change.userId.toLowerCase(),
        handle: foldHandle(change.handle),
      });
    } else if (change.kind === "delete") {
      prepared.push(prepareDelete(change, uriKey));
    } else {
      const post = preparePost(change.post, uriKey, nowMs);
      prepared.push(post);
      for (const account of accountsOf(change.post)) {
        addHandle({ platform: post.platform, ...account, observedMs: post.timeMs });
      }
    }
  }
  return { changes: prepared, handles: [...handles.values()] };
}

function prepareDelete(
  { platform, uri, revision }: ArchiveChange & { kind: "delete" },
  uriKey: string,
): PreparedDelete {
  const id = platform === "x" ? xIdOf(uri) : null;
  const hash = id === null ? hashUri(uriKey, uri).lookup : null;
  return { kind: "delete", platform, uri, hash, id, revision };
}

function preparePost(post: Post, uriKey: string, nowMs: number): PreparedPost {
  const timeMs = postTimeMs(post, nowMs);
  return {
    kind: "upsert",
    platform: post.platform,
    uri: post.uri,
    ...identity(post, timeMs, uriKey),
    timeMs,
    counts: post.counts,
    revision: post.revision,
    imported: post.origin === "import",
    record: encodeRecord(post, timeMs),
    terms: indexTerms(post).join(" "),
  };
}

function identity(post: Post, timeMs: number, uriKey: string): Pick<PreparedPost, "hash" | "id"> {
  if (post.nativeId !== null) return { hash: null, id: post.nativeId };
  const { lookup, number } = hashUri(uriKey, post.uri);
  return { hash: lookup, id: numberedId(timeMs, number) };
}

/** The pairs of account id and handle that a post tells: author, addressee, mentions. */
function accountsOf(post: Post): { userId: string; handle: string }[] {
  const named = [
    { userId: post.userId, username: post.username },
    { userId: post.inReplyTo?.userId ?? null, username: post.inReplyTo?.username ?? null },
    ...post.mentions,
  ];
  return named.flatMap(({ userId, username }) => {
    const id = accountKey(userId, null);
    const handle = accountKey(null, username);
    return id !== null && handle !== null ? [{ userId: id, handle }] : [];
  });
}
