import { lookupHash, numberedId, postTimeMs, uriNumber, xIdOf } from "../posts/ids.ts";
import type { Platform, Post, PostCounts } from "../posts/post.ts";
import { encodeRecord } from "../posts/record.ts";
import { indexTerms } from "../posts/terms.ts";
import { foldHandle } from "../text/entities.ts";
import type { ArchiveChange } from "./archive.ts";
import { isAccountId } from "./labels.ts";

/** A post as the writer stores it: everything that needs the analyzer is done. */
export type PreparedPost = {
  kind: "upsert";
  platform: Platform;
  uri: string;
  /** Looks the uri up; null where the ID follows from the uri (X). */
  hash: bigint | null;
  /** The ID, where no other post of its millisecond has that number; an X post's own. */
  id: bigint;
  timeMs: number;
  /** Whether the time is only a cap: nobody has seen the post, and it claims a time to come. */
  timeIsCapped: boolean;
  counts: PostCounts;
  revision: string;
  imported: boolean;
  /** The author's account id in lower case. */
  userId: string | null;
  /** Whether the post came without its author's handle. */
  lacksHandle: boolean;
  /** When it was there for the first time as far as is known, Unix milliseconds. */
  observedMs: number;
  record: string;
  terms: string;
  /** Its alias and the hash that looks it up; null where it has none. */
  alias: { hash: bigint; name: string } | null;
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

export type PreparedHeldDelete = {
  platform: Platform;
  name: string;
  hash: bigint;
  revision: string;
};

export type PreparedHandle = {
  platform: Platform;
  userId: string;
  handle: string;
  observedMs: number;
};

type Of<Kind extends ArchiveChange["kind"]> = Extract<ArchiveChange, { kind: Kind }>;

export type PreparedChanges = {
  changes: PreparedChange[];
  heldDeletes: PreparedHeldDelete[];
  handles: PreparedHandle[];
  counts: Of<"count">[];
  /** What hosts, accounts and labelers say, in the order in which it came; account ids in lower case. */
  accounts: Of<"account">[];
  profiles: Of<"profile">[];
  labels: Of<"label">[];
  lookUps: Of<"looked-up">[];
};

export const noChanges: PreparedChanges = {
  changes: [],
  heldDeletes: [],
  handles: [],
  counts: [],
  accounts: [],
  profiles: [],
  labels: [],
  lookUps: [],
};

/** Takes changes one by one and does what writing them needs of the analyzer. `nowMs` caps times that no network has seen. */
export type Preparation = { add(change: ArchiveChange): void; prepared(): PreparedChanges };

export function startPreparation(uriKey: string, nowMs: number): Preparation {
  const prepared: PreparedChanges = {
    changes: [],
    heldDeletes: [],
    handles: [],
    counts: [],
    accounts: [],
    profiles: [],
    labels: [],
    lookUps: [],
  };
  const handles = new Map<string, PreparedHandle>();

  function addHandle(entry: PreparedHandle): void {
    const key = `${entry.platform} ${entry.userId} ${entry.handle}`;
    const known = handles.get(key);
    if (known === undefined || known.observedMs < entry.observedMs) handles.set(key, entry);
  }

  function add(change: ArchiveChange): void {
    switch (change.kind) {
      case "upsert": {
        prepared.changes.push(preparePost(change, uriKey, nowMs));
        const author = authorOf(change.post);
        if (author !== null) addHandle(author);
        return;
      }
      case "delete":
        prepared.changes.push(prepareDelete(change, uriKey));
        return;
      case "delete-held": {
        const { platform, name, revision } = change;
        const hash = lookupHash(uriKey, name);
        prepared.heldDeletes.push({ platform, name, hash, revision });
        return;
      }
      case "handle": {
        const { platform, userId, handle, observedMs } = change;
        addHandle({
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

  return { add, prepared: () => ({ ...prepared, handles: [...handles.values()] }) };
}

/** Account ids are compared without regard to case, uris as they are. */
const foldSubject = (subject: string): string =>
  isAccountId(subject) ? subject.toLowerCase() : subject;

function prepareDelete(
  { platform, uri, revision }: ArchiveChange & { kind: "delete" },
  uriKey: string,
): PreparedDelete {
  const id = platform === "x" ? xIdOf(uri) : null;
  const hash = id === null ? lookupHash(uriKey, uri) : null;
  return { kind: "delete", platform, uri, hash, id, revision };
}

function preparePost({ post, alias }: Of<"upsert">, uriKey: string, nowMs: number): PreparedPost {
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
 * The account id and handle of a post's author. Handles that a post gives to others are not taken: anyone can write anything.
 * What an import says never comes before what was observed.
 */
export function authorOf({
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
