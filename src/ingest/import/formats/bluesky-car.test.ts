import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { encodeCar, repositoryBlocks } from "../../../../testkit/archives/repository-archive.ts";
import { blueskyCarFormat } from "./bluesky-car.ts";
import { createImportFolder, type ImportFolder } from "./import-folder.test-support.ts";

let folder: ImportFolder;
beforeEach(() => {
  folder = createImportFolder();
});
afterEach(() => folder.remove());

const did = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa";
const rev = "3kaaaaaaaaaaa";
const collection = "app.bsky.feed.post";
const format = blueskyCarFormat({ maxRepositoryBytes: 1_000_000, author: null });

const record = (text: string, overrides: object = {}) => ({
  $type: collection,
  text,
  createdAt: "2024-01-02T03:04:05.678Z",
  langs: ["en"],
  ...overrides,
});
const key = (number: number) => `${collection}/3kaaaaaaa${String(number).padStart(4, "2")}`;
const getRepository = (records: ReadonlyMap<string, unknown>) =>
  encodeCar(repositoryBlocks({ did, rev, records }));

describe("a Bluesky repository", () => {
  test("an import of a Bluesky repository stores posts by uri, with the name from the profile", async () => {
    const records = new Map<string, unknown>([
      ["app.bsky.actor.profile/self", { $type: "app.bsky.actor.profile", displayName: "Ann" }],
      ["app.bsky.feed.like/3kaaaaaaaaaa2", { $type: "app.bsky.feed.like" }],
      [key(2), record("one #tag")],
      [key(3), record("two", { langs: ["de"] })],
    ]);
    const file = folder.file("ann.car", await getRepository(records));
    expect(await folder.import(file, "bluesky", format)).toMatchObject({
      imported: 2,
      rejected: 0,
    });
    expect(folder.posts()).toMatchObject([
      {
        uri: `at://${did}/${key(2)}`,
        username: "",
        userId: did,
        authorName: "Ann",
        text: "one #tag",
        hashtags: ["tag"],
        langs: ["en"],
        origin: "import",
        revision: "",
      },
      { text: "two", langs: ["de"] },
    ]);
  });

  test("an import of a Bluesky repository uses the specified handle", async () => {
    const namedFormat = blueskyCarFormat({
      maxRepositoryBytes: 1_000_000,
      author: "ann.example.com",
    });
    const file = folder.file("ann.car", await getRepository(new Map([[key(2), record("one")]])));
    await folder.import(file, "bluesky", namedFormat);
    expect(folder.posts()).toMatchObject([{ username: "ann.example.com", userId: did }]);
  });

  test("an import of a Bluesky repository reports records that are not posts by number and key", async () => {
    const records = new Map<string, unknown>([
      [key(2), record("one")],
      [`${collection}/not-a-time`, record("two", { createdAt: "soon" })],
      [`${collection}/z`, ["no", "record"]],
    ]);
    const file = folder.file("ann.car", await getRepository(records));
    expect(await folder.import(file, "bluesky", format)).toMatchObject({
      imported: 1,
      rejected: 2,
    });
    expect(folder.rejections).toEqual([
      `2: ${collection}/not-a-time: createdAt: expected a time in ISO 8601`,
      expect.stringMatching(/^3: .*\/z: /),
    ]);
    expect(folder.rejected(file)).toContain(`{"uri":"at://${did}/${collection}/not-a-time"}`);
  });

  test("a Bluesky repository is rejected if malformed, truncated, or too large for memory", async () => {
    const bytes = await getRepository(new Map([[key(2), record("one")]]));
    for (const content of ["no CAR", bytes.subarray(0, -10)]) {
      const file = folder.file("ann.car", content);
      await expect(folder.import(file, "bluesky", format)).rejects.toMatchObject({
        code: "import_unreadable",
      });
    }
    const smallFormat = blueskyCarFormat({ maxRepositoryBytes: 100, author: null });
    const file = folder.file("ann.car", bytes);
    await expect(folder.import(file, "bluesky", smallFormat)).rejects.toMatchObject({
      code: "import_too_large",
      hint: expect.stringContaining("EARSHOT_BACKFILL_MAX_REPOSITORY_BYTES"),
    });
    expect(folder.posts()).toEqual([]);
  });

  test("an import of a Bluesky repository resumes after the last batch of a crashed process without duplicates", async () => {
    const records = new Map<string, unknown>();
    for (let number = 0; number < 6_000; number += 1) {
      const rkey = `3k${number.toString(32).padStart(11, "2").replace(/[01]/g, "y").replace(/[89]/g, "z")}`;
      records.set(`${collection}/${rkey}-${number}`, record(`post ${number}`));
    }
    const sorted = new Map([...records].sort(([a], [b]) => (a < b ? -1 : 1)));
    const largeFormat = blueskyCarFormat({ maxRepositoryBytes: 10_000_000, author: null });
    const file = folder.file("ann.car", await getRepository(sorted));
    let batches = 0;
    folder.archive.beforeWrite = () => {
      batches += 1;
      if (batches === 2) throw new Error("killed");
    };
    await expect(folder.import(file, "bluesky", largeFormat)).rejects.toThrow("killed");
    folder.archive.beforeWrite = () => {};
    expect(await folder.import(file, "bluesky", largeFormat)).toMatchObject({
      imported: 1_000,
      unchanged: 0,
      resumedAfterLines: 5_000,
    });
    expect(folder.posts()).toHaveLength(6_000);
  });
});
