import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createImportFolder, type ImportFolder } from "./import-folder.test-support.ts";
import { xApiFormat } from "./x-api.ts";

let folder: ImportFolder;
beforeEach(() => {
  folder = createImportFolder();
});
afterEach(() => folder.remove());

const item = (id: number, overrides: object = {}) => ({
  id: String(1_000_000_000_000_000_000n + BigInt(id)),
  author_id: "42",
  created_at: "2018-05-29T08:11:12.000Z",
  text: `post ${id}`,
  ...overrides,
});
const users = [{ id: "42", username: "harbour_demo", name: "Harbour" }];
const page = (data: unknown, includes: object = { users }) => ({ data, includes, meta: {} });

const runImport = (content: string) =>
  folder.import(folder.file("p.json", content), "x", xApiFormat);
const texts = () => folder.posts().map(({ text }) => text);

describe("responses of X's API", () => {
  const pages = [page([item(1), item(2)]), { meta: { result_count: 0 } }, page(item(3))];

  test.each([
    ["one per line", pages.map((other) => `${JSON.stringify(other)}\n`).join("")],
    ["consecutive objects", pages.map((other) => JSON.stringify(other, null, 2)).join("\n")],
    ["a list", JSON.stringify(pages)],
    ["a list after a byte order mark", `\uFEFF${JSON.stringify(pages, null, 1)}`],
  ])("responses of X's API are read as %s", async (_form, content) => {
    expect(await runImport(content)).toMatchObject({ imported: 3, rejected: 0 });
    expect(texts()).toEqual(["post 1", "post 2", "post 3"]);
    expect(folder.posts()[0]).toMatchObject({
      username: "harbour_demo",
      authorName: "Harbour",
      origin: "import",
      url: "https://x.com/harbour_demo/status/1000000000000000001",
    });
  });

  test("an import of X API responses includes media, and the full text of reposted posts", async () => {
    const original = item(1, { text: "the whole text", author_id: "43" });
    const repost = item(2, {
      text: "RT @anna: the wh…",
      referenced_tweets: [{ type: "retweeted", id: original.id }],
    });
    const photo = item(3, { attachments: { media_keys: ["3_1"] } });
    await runImport(
      JSON.stringify(
        page([repost, photo], {
          users: [...users, { id: "43", username: "anna" }],
          tweets: [original],
          media: [{ media_key: "3_1", type: "photo", url: "https://pbs.example/1.jpg" }],
        }),
      ),
    );
    expect(folder.posts()).toMatchObject([
      { isRepost: true, text: "the whole text", reposted: { username: "anna" } },
      { media: [{ type: "photo", url: "https://pbs.example/1.jpg" }] },
    ]);
  });

  test("posts that X withheld are not imported from its API responses", async () => {
    const withheldPost = item(1, { withheld: { country_codes: ["XX"] } });
    const { skipped, imported } = await runImport(JSON.stringify(page([withheldPost])));
    expect(imported).toBe(0);
    expect([...skipped]).toEqual([["withheld by X", 1]]);
  });

  test("an import of X API responses writes bad posts as pages that can be repaired and imported", async () => {
    const futurePost = item(4, { id: "9200000000000000000" });
    const badItems = [item(2, { author_id: "1" }), { id: "x", author_id: "42" }, futurePost, null];
    const content = [page([item(1), ...badItems]), { posts: [] }].map((one) => JSON.stringify(one));
    const summary = await runImport(
      `${content.join("\n")}\n{"data":[\n${JSON.stringify(page([item(5)]))}`,
    );
    expect(summary).toMatchObject({ imported: 2, rejected: 6 });
    expect(folder.rejections).toEqual([
      "2: post 1000000000000000002: includes.users does not contain its author 1 (the request needs expansions=author_id)",
      "3: expected a post with id, author_id and created_at, found the fields id, author_id",
      expect.stringMatching(/^4: id: expected a post ID whose time is not in the future/),
      "5: expected a post with id, author_id and created_at, found none",
      "6: expected an API response, an object with data",
      expect.stringMatching(/^7: not valid JSON/),
    ]);
    const [first = ""] = folder.rejected(folder.file("p.json", "")).split("\n");
    const repaired = first.replace('"author_id":"1"', '"author_id":"42"');
    await runImport(JSON.stringify({ ...JSON.parse(repaired), includes: { users } }));
    expect(texts()).toContain("post 2");
  });

  test("an X API response is rejected if a page is nested too deeply or the file is truncated", async () => {
    const deep = JSON.stringify(
      page([item(1, { a: JSON.parse("[".repeat(20) + "]".repeat(20)) })]),
    );
    expect(await runImport(deep)).toMatchObject({ imported: 0, rejected: 1 });
    expect(folder.rejections).toEqual(["1: nested deeper than 16 levels"]);
    await expect(runImport(JSON.stringify(pages).slice(0, -5))).rejects.toMatchObject({
      code: "import_unreadable",
    });
  });
});
