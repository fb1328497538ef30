import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Block,
  encodeCar,
  makeBlock,
  repositoryBlocks,
} from "../../../testkit/archives/repository-archive.ts";
import { systemClock } from "../../lib/clock.ts";
import { type Repository, readRepository } from "./repository.ts";

const did = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa";
const rev = "3kaaaaaaaaaaa";
const posts = "app.bsky.feed.post";

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < bytes.length; index += size)
    yield bytes.subarray(index, index + size);
}

function read(bytes: Uint8Array, size = 1_000): Promise<Repository> {
  const request = { did, clock: systemClock, collections: [posts] };
  return readRepository(inPieces(bytes, size), request);
}

const makeRecords = (texts: readonly string[]): Map<string, unknown> =>
  new Map(
    texts.map((text, n) => [`${posts}/3k${String(n).padStart(5, "0")}`, { $type: posts, text }]),
  );

const listTexts = (repository: Repository): unknown[] =>
  repository.entries.map((entry) => (repository.readRecord(entry) as { text?: unknown })?.text);

describe("a repository", () => {
  test("a repository yields its records in order, for any order of blocks and any size of pieces", async () => {
    const texts = fc.uniqueArray(fc.string(), { maxLength: 40 });
    const order = fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true }));
    await fc.assert(
      fc.asyncProperty(
        texts,
        order,
        fc.integer({ min: 1, max: 200 }),
        async (expectedTexts, draws, size) => {
          const [commit, ...rest] = repositoryBlocks({
            did,
            rev,
            records: makeRecords(expectedTexts),
          });
          if (commit === undefined) throw new Error("no commit");
          const mixed = rest
            .map((block) => ({ block, order: draws.next().value }))
            .sort((a, b) => a.order - b.order)
            .map(({ block }) => block);
          const repository = await read(await encodeCar([commit, ...mixed]), size);
          expect(repository.rev).toBe(rev);
          expect(listTexts(repository)).toEqual(expectedTexts);
        },
      ),
      { numRuns: 30 },
    );
  });

  test("a repository yields only the requested collections", async () => {
    const records = makeRecords(["a"]);
    records.set("app.bsky.feed.like/3k1", { $type: "app.bsky.feed.like" });
    const repository = await read(await encodeCar(repositoryBlocks({ did, rev, records })));
    expect(repository.entries.map(({ path }) => path)).toEqual([`${posts}/3k00000`]);
  });

  test("a record whose block is missing or forged is absent from the repository", async () => {
    const blocks = repositoryBlocks({ did, rev, records: makeRecords(["a", "b", "c"]) });
    const invalid = blocks.flatMap((block) => {
      if (Buffer.from(block.data).equals(Buffer.from(makeBlock({ $type: posts, text: "a" }).data)))
        return [];
      if (
        Buffer.from(block.data).equals(Buffer.from(makeBlock({ $type: posts, text: "b" }).data))
      ) {
        return [{ cid: block.cid, data: makeBlock({ $type: posts, text: "x" }).data }];
      }
      return [block];
    });
    expect(listTexts(await read(await encodeCar(invalid)))).toEqual([undefined, undefined, "c"]);
  });
});

describe("an invalid repository is rejected", () => {
  const valid = {
    did,
    rev,
    records: makeRecords(Array.from({ length: 30 }, (_, n) => `post ${n}`)),
  };
  const unreadable = expect.objectContaining({ code: "repository_unreadable" });
  const invalid: Record<string, () => Block[]> = {
    "a node is missing": () => repositoryBlocks(valid).filter((_block, n) => n !== 2),
    "it belongs to another account": () =>
      repositoryBlocks({ ...valid, did: "did:plc:bbbbbbbbbbbbbbbbbbbbbbbb" }),
    "no revision": () => repositoryBlocks({ ...valid, rev: "later" }),
    "the root is a record": () => [makeBlock({ $type: posts, text: "a" })],
  };

  test.each(Object.keys(invalid))("an invalid repository is rejected: %s", async (name) => {
    const blocks = invalid[name]?.() ?? [];
    await expect(encodeCar(blocks).then((car) => read(car))).rejects.toEqual(unreadable);
  });

  test("a truncated repository is rejected", async () => {
    const car = await encodeCar(repositoryBlocks(valid));
    for (let index = 0; index < car.length; index += 97) {
      await expect(read(car.subarray(0, index))).rejects.toEqual(unreadable);
    }
  });

  test("arbitrary bytes are rejected as an unreadable repository", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        await expect(read(bytes)).rejects.toEqual(unreadable);
      }),
      { numRuns: 200 },
    );
  });

  test("a repository with one changed byte is rejected or lacks a record, but never yields a forged one", async () => {
    const expectedTexts = Array.from({ length: 6 }, (_, n) => `post ${n}`);
    const car = await encodeCar(
      repositoryBlocks({ did, rev, records: makeRecords(expectedTexts) }),
    );
    const change = fc.tuple(fc.nat(car.length - 1), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(change, async ([time, by]) => {
        const bytes = Buffer.from(car);
        bytes[time] = (bytes[time] ?? 0) ^ by;
        const repository = await read(bytes).catch((error: unknown) => {
          expect(error).toEqual(unreadable);
          return null;
        });
        if (repository === null) return;
        for (const text of listTexts(repository)) {
          if (text !== undefined) expect(expectedTexts).toContain(text);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("an error while reading a repository's source is passed through", async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array([1]);
      throw new Error("cut off");
    }
    const request = { did, clock: systemClock, collections: [posts] };
    await expect(readRepository(failing(), request)).rejects.toThrow("cut off");
  });
});
