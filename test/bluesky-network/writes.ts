import type { Draw } from "../../testkit/bluesky-world/draw.ts";
import {
  likeCollection,
  type Person,
  type Post,
  postCollection,
  putRecord,
  repostCollection,
  type Write,
  write,
} from "../../testkit/bluesky-world/people.ts";
import { drawPost, editRecord } from "../../testkit/bluesky-world/records.ts";
import type { Network } from "./network.ts";

export type Tally = ReadonlyMap<string, number>;

export type Writes = {
  /** Makes up to 48 writes in one commit. */
  writeSome(person: Person): Promise<void>;
  edit(person: Person): Promise<void>;
  /** Counts all created records, including removed ones. */
  created: Readonly<Record<"likes" | "reposts" | "replies" | "quotes", Tally>>;
  /** Posts that reuse the key of a deleted post. */
  recreated: ReadonlySet<string>;
  actionCounts: Tally;
};

const weights = {
  post: 54,
  reuseKey: 1.5,
  edit: 5,
  remove: 6,
  like: 22,
  repost: 7,
  unlike: 3,
  unrepost: 1.5,
};

export function createWrites(network: Network, people: readonly Person[], draw: Draw): Writes {
  const actionCounts = new Map<string, number>();
  const created = {
    likes: new Map<string, number>(),
    reposts: new Map<string, number>(),
    replies: new Map<string, number>(),
    quotes: new Map<string, number>(),
  };
  const recreated = new Set<string>();
  const records = new Map<string, Record<string, unknown>>();
  const drawTarget = (): Post | null => draw.pickOrNull(draw.pick(people).posts);

  /** Null if the write is impossible or its key is in `usedKeys`. */
  function drawWrite(person: Person, usedKeys: Set<string>): Write | null {
    const kind = draw.pickWeighted(weights);
    add(actionCounts, kind);
    if (kind === "post" || kind === "reuseKey") return newPost(person, usedKeys, kind);
    if (kind === "like" || kind === "repost") return reaction(kind);
    const collection =
      kind === "unlike" ? likeCollection : kind === "unrepost" ? repostCollection : postCollection;
    const target = draw.pickOrNull<{ key: string }>(
      kind === "unlike" ? person.likes : kind === "unrepost" ? person.reposts : person.posts,
    );
    if (target === null || usedKeys.has(target.key)) return null;
    usedKeys.add(target.key);
    const { key } = target;
    if (kind !== "edit") return { kind: "delete", collection, key };
    return { kind: "update", collection, key, record: editedRecord(makeUri(person, key)) };
  }

  function newPost(person: Person, usedKeys: Set<string>, kind: "post" | "reuseKey"): Write | null {
    const parent = draw.chance(0.3) ? drawTarget() : null;
    const quoted = draw.chance(0.1) ? drawTarget() : null;
    const mention = draw.chance(0.08) ? draw.pick(people) : null;
    const record = drawPost(draw, { parent, quoted, mention });
    const creation = { kind: "create", collection: postCollection, record } as const;
    const key = kind === "reuseKey" ? draw.pickOrNull(person.freeKeys) : null;
    if (kind === "reuseKey" && (key === null || usedKeys.has(key))) return null;
    if (parent !== null) add(created.replies, parent.uri);
    if (quoted !== null) add(created.quotes, quoted.uri);
    if (key === null) return creation;
    usedKeys.add(key);
    recreated.add(makeUri(person, key));
    return { ...creation, key };
  }

  function reaction(kind: "like" | "repost"): Write | null {
    const target = drawTarget();
    if (target === null) return null;
    add(kind === "like" ? created.likes : created.reposts, target.uri);
    const collection = kind === "like" ? likeCollection : repostCollection;
    const subject = { uri: target.uri, cid: target.cid };
    const createdAt = new Date().toISOString();
    return { kind: "create", collection, record: { $type: collection, subject, createdAt } };
  }

  function editedRecord(uri: string): Record<string, unknown> {
    const record = editRecord(draw, records.get(uri) ?? {});
    records.set(uri, record);
    return record;
  }

  return {
    writeSome: async (person) => {
      const usedKeys = new Set<string>();
      const count = draw.chance(0.3) ? 1 + draw.below(3) : 1 + draw.below(48);
      const drawnWrites = Array.from({ length: count }, () => drawWrite(person, usedKeys));
      const writes = drawnWrites.filter((other) => other !== null);
      if (writes.length === 0) return;
      const uris = await write(network, person, writes);
      for (const [index, each] of writes.entries()) {
        if (each.kind === "create") records.set(uris[index] ?? "", each.record);
      }
    },
    edit: async (person) => {
      const post = draw.pickOrNull(person.posts);
      if (post === null) return;
      const { key, uri } = post;
      const record = editedRecord(uri);
      await putRecord(network, person, {
        kind: "update",
        collection: postCollection,
        key,
        record,
      });
    },
    created,
    recreated,
    actionCounts,
  };
}

const makeUri = ({ did }: Person, key: string): string => `at://${did}/${postCollection}/${key}`;

export function add(tally: Map<string, number>, key: string): void {
  tally.set(key, (tally.get(key) ?? 0) + 1);
}
