import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ArchiveChange } from "../../src/archive/archive.ts";
import { segmentPath } from "../../src/archive/catalog/catalog.ts";
import { makePost } from "../data/make-post.ts";
import { sealAll } from "./seal-all.ts";
import { writerOn } from "./whole-archive.ts";

const startMs = Date.UTC(2026, 0, 1);
const makeUri = (key: string): string => `at://did:plc:author/app.bsky.feed.post/${key}`;
const counts = { likes: 5, reposts: 0, replies: null, quotes: 0 };
const labelFields = { source: "did:plc:m", negated: false, createdMs: 1, expiresMs: null } as const;
const hide = (key: string): ArchiveChange => ({
  kind: "label",
  platform: "bluesky",
  subject: makeUri(key),
  value: "!hide",
  ...labelFields,
});
const show = (key: string): ArchiveChange => ({
  kind: "label",
  platform: "bluesky",
  subject: makeUri(key),
  value: "!hide",
  ...labelFields,
  negated: true,
  createdMs: 2,
});
export const remove = (key: string): ArchiveChange => ({
  kind: "delete",
  platform: "bluesky",
  uri: makeUri(key),
  revision: "r9",
});

export const upsert = (
  key: string,
  minute: number,
  text: string,
  revision = "r1",
): ArchiveChange => ({
  kind: "upsert",
  post: makePost({ key, createdMs: startMs + minute * 60_000, text, revision, counts }),
});

/** A text with high positions and one word twice. */
const longText = `${Array.from({ length: 300 }, (_, n) => `long${n}`).join(" ")} long7`;

export function makeSealedArchive(dataDir: string): void {
  const writer = writerOn(dataDir, 1_000);
  writer.write([
    ...Array.from({ length: 100 }, (_, n) =>
      upsert(`key${n}`, n, `Words of post ${n}, of course "quoted", naïve 東京 👍 #tag${n % 7}`),
    ),
    upsert("long", 200, longText),
    upsert("last", 201, "zzz is the last word, zzz"),
  ]);
  writer.write([hide("key5"), hide("key6"), hide("key7"), remove("key8")]);
  writer.close();
  sealAll(join(dataDir, "archive"));
}

export function writeAfterSealing(dataDir: string): void {
  const writer = writerOn(dataDir, 1_000);
  writer.write([
    upsert("key10", 10, "edited words", "r2"),
    upsert("key11", 11, "edited words", "r2"),
    remove("key11"),
    remove("key12"),
    upsert("late", 50, "late words of a post"),
    hide("key13"),
    hide("late"),
    show("key6"),
    { kind: "count", platform: "bluesky", uri: makeUri("key14"), metric: "likes", increment: 500 },
  ]);
  writer.addCounts();
  writer.close();
}

/** Post 8 was deleted before sealing. */
export const keyNumber = (index: number): number => (index > 8 ? 101 : 100) - index;

export const sealedPath = (dataDir: string): string =>
  segmentPath(join(dataDir, "archive"), { platform: "bluesky", sequence: 2 });

export function withSegment<Value>(
  dataDir: string,
  work: (database: DatabaseSync) => Value,
): Value {
  const database = new DatabaseSync(sealedPath(dataDir));
  try {
    return work(database);
  } finally {
    database.close();
  }
}

export function changeBytes(
  dataDir: string,
  { table, column, where }: { table: string; column: string; where: string },
  change: (bytes: Uint8Array) => Uint8Array,
): void {
  withSegment(dataDir, (database) => {
    const row = database.prepare(`SELECT ${column} AS bytes FROM ${table} WHERE ${where}`).get();
    const bytes = change(row?.bytes as Uint8Array);
    database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where}`).run(bytes);
  });
}

export const withFlippedBit =
  (bit: number) =>
  (bytes: Uint8Array): Uint8Array => {
    const index = bit >>> 3;
    bytes[index] = (bytes[index] ?? 0) ^ (1 << (bit & 7));
    return bytes;
  };
