import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  openSecondCatalog,
  type SmallArchive,
  smallArchive,
} from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import type { ArchiveChange, Position } from "../archive.ts";

const never = () => false;
const platform = "bluesky";
const authors = ["did:plc:ann", "did:plc:bob"] as const;
const keys = ["a", "b", "c", "d"] as const;

const postOf = (key: string, text: string) =>
  makePost({
    key,
    text,
    userId: authors[keys.indexOf(key as (typeof keys)[number]) % 2] ?? authors[0],
    username: key < "c" ? "" : "named.test",
    revision: `3l${text.length}${text}`,
  });
const getUri = (key: string): string => postOf(key, "").uri;

const formatText = (body: Uint8Array): string => Buffer.from(body).toString();
const getPositions = (archive: SmallArchive): readonly Position[] =>
  archive.search({ plan: { kind: "all" } }).positions;
const cached = (archive: SmallArchive, positions: readonly Position[]): string =>
  formatText(archive.reader.jsonPage(positions, never)?.body ?? new Uint8Array());
const readAgain = (archive: SmallArchive, positions: readonly Position[]): string =>
  `[${archive.reader.operations.records(positions).records.join(",")}]`;

type Step = (archive: SmallArchive, step: number) => void;

const key = fc.constantFrom(...keys);
const author = fc.constantFrom(...authors);
const writing = (change: (step: number) => ArchiveChange): Step => {
  return (archive, step) => archive.write([change(step)]);
};
const revisionAt = (step: number): string => `3z${String(step).padStart(11, "0")}`;

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(key, fc.boolean()).map(
    ([name, isOtherProcess]): Step =>
      (archive, step) => {
        const post = { ...postOf(name, `text ${step}`), revision: revisionAt(step) };
        if (!isOtherProcess) return void archive.put(post);
        const other = openSecondCatalog(archive);
        other.put(post);
        other.close();
      },
  ),
  key.map((name) =>
    writing((step) => ({
      kind: "delete",
      platform,
      uri: getUri(name),
      revision: revisionAt(step),
    })),
  ),
  fc
    .tuple(author, fc.constantFrom("active", "takendown", "deleted"))
    .map(([userId, status]) =>
      writing((step) => ({ kind: "account", platform, userId, status, observedMs: step })),
    ),
  author.map((userId) =>
    writing((step) => ({
      ...({ kind: "handle", platform, userId, handle: `name${step}.test` } as const),
      observedMs: step,
    })),
  ),
  author.map((userId) =>
    writing((step) => ({
      ...({ kind: "profile", platform, userId, name: `Name ${step}` } as const),
      ...{ labels: [], observedMs: step },
    })),
  ),
  fc
    .tuple(key, fc.constantFrom("!hide", "spam", "porn"), fc.boolean())
    .map(([name, value, negated]) =>
      writing((step) => ({
        ...({ kind: "label", platform, subject: getUri(name), source: "did:plc:mod" } as const),
        ...{ value, negated, createdMs: step, expiresMs: null },
      })),
    ),
  key.map(
    (name): Step =>
      (archive) => {
        archive.write([
          { kind: "count", platform, uri: getUri(name), metric: "likes", increment: 3 },
        ]);
        archive.addCounts();
      },
  ),
  fc.constant<Step>((archive) => archive.seal()),
  fc.constant<Step>((archive) => archive.expire(Date.UTC(2026, 0, 2))),
);

describe("page of cached records", () => {
  test("a page of cached records equals the stored records after any deletion, hiding, change or rewrite", () => {
    const property = fc.property(fc.array(steps, { minLength: 4, maxLength: 25 }), (run) => {
      const archive = smallArchive(2);
      try {
        archive.put(...keys.map((name) => postOf(name, "")));
        const known = new Map<bigint, Position>();
        for (const [step, act] of run.entries()) {
          for (const position of getPositions(archive)) known.set(position.id, position);
          const positions = [...known.values()].sort((a, b) => (a.id > b.id ? -1 : 1));
          expect(cached(archive, positions)).toBe(readAgain(archive, positions));
          act(archive, step + 1);
          expect(cached(archive, positions)).toBe(readAgain(archive, positions));
        }
      } finally {
        archive.remove();
      }
    });
    fc.assert(property, { numRuns: 25 });
  });

  test("a repeated page of cached records reads no rows", () => {
    const archive = smallArchive();
    archive.put(makePost({ key: "a", username: "ann" }), makePost({ key: "b", username: "bob" }));
    const positions = getPositions(archive);
    const first = archive.reader.jsonPage(positions, never);
    expect(archive.reader.jsonPage(positions, () => true)).toEqual(first);
    archive.remove();
  });

  test("a page of cached records is abandoned if its time runs out before its rows are read", () => {
    const archive = smallArchive();
    archive.put(makePost({ key: "a" }));
    expect(archive.reader.jsonPage(getPositions(archive), () => true)).toBeNull();
    archive.remove();
  });
});
