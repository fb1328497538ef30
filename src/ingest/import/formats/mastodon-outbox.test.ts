import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { zipArchive } from "../../../../testkit/archives/zip-archive.ts";
import { createImportFolder, type ImportFolder } from "./import-folder.test-support.ts";
import { mastodonOutboxFormat as format } from "./mastodon-outbox.ts";

let folder: ImportFolder;
beforeEach(() => {
  folder = createImportFolder();
});
afterEach(() => folder.remove());

const everyone = "https://www.w3.org/ns/activitystreams#Public";
const actorId = "https://social.example/users/ann";
const actor = JSON.stringify({ id: actorId, preferredUsername: "ann", name: "Ann A." });

const create = (id: number, note: object = {}, activity: object = {}) => ({
  id: `${actorId}/statuses/${id}/activity`,
  type: "Create",
  actor: actorId,
  published: "2023-01-02T03:04:05Z",
  to: [everyone],
  cc: [`${actorId}/followers`],
  object: {
    id: `${actorId}/statuses/${id}`,
    type: "Note",
    published: "2023-01-02T03:04:05Z",
    url: `https://social.example/@ann/${id}`,
    to: [everyone],
    content: `<p>post ${id}</p>`,
    ...note,
  },
  ...activity,
});
const outbox = (items: readonly unknown[]) =>
  JSON.stringify({
    "@context": ["https://www.w3.org/ns/activitystreams", { atomUri: "ostatus:atomUri" }],
    id: "outbox.json",
    type: "OrderedCollection",
    totalItems: items.length,
    orderedItems: items,
  });
const runImport = (items: readonly unknown[]) =>
  folder.import(folder.file("outbox.json", outbox(items)), "mastodon", format);

describe("a Mastodon archive", () => {
  test("an import of a Mastodon archive stores text, warning, language, mentions, hashtags, media and replies", async () => {
    folder.file("actor.json", actor);
    await runImport([
      create(1, {
        summary: "Food",
        sensitive: true,
        inReplyTo: "https://other.example/users/bob/statuses/9",
        content:
          '<p><span class="h-card"><a href="https://other.example/@bob" class="u-url mention">@<span>bob</span></a></span> soup &amp; bread<br><a href="https://one.example/a" rel="nofollow">one.example/a</a> <a href="https://social.example/tags/soup" class="mention hashtag" rel="tag">#<span>soup</span></a></p>',
        contentMap: { en: "…" },
        tag: [
          { type: "Mention", href: "https://other.example/users/bob", name: "@bob@other.example" },
          { type: "Hashtag", href: "https://social.example/tags/soup", name: "#soup" },
        ],
        attachment: [
          { type: "Document", mediaType: "image/png", url: "/media/1.png", name: "A bowl" },
          { type: "Document", mediaType: "video/mp4", url: "https://files.example/1.mp4" },
        ],
      }),
    ]);
    expect(folder.rejections).toEqual([]);
    expect(folder.posts()).toMatchObject([
      {
        uri: `${actorId}/statuses/1`,
        url: "https://social.example/@ann/1",
        username: "ann@social.example",
        authorName: "Ann A.",
        createdAt: "2023-01-02T03:04:05Z",
        text: "Food\n\n@bob soup & bread\nhttps://one.example/a #soup",
        langs: ["en"],
        sensitive: true,
        inReplyTo: { uri: "https://other.example/users/bob/statuses/9" },
        mentions: [{ username: "bob@other.example" }],
        hashtags: ["soup"],
        urls: ["https://one.example/a"],
        media: [
          { type: "image", url: null, alt: "A bowl" },
          { type: "video", url: "https://files.example/1.mp4", alt: null },
        ],
        origin: "import",
      },
    ]);
  });

  test("an import of a Mastodon archive stores polls with their options, quotes, and reposts", async () => {
    await runImport([
      create(1, { type: "Question", oneOf: [{ name: "Tea" }, { name: "Coffee" }] }),
      create(2, {
        quote: "https://other.example/users/bob/statuses/9",
        content: '<p class="quote-inline">RE: there</p><p>so true</p>',
      }),
      {
        id: `${actorId}/statuses/3/activity`,
        type: "Announce",
        actor: actorId,
        published: "2023-01-02T03:04:05Z",
        to: [everyone],
        object: "https://other.example/users/bob/statuses/9",
      },
    ]);
    expect(folder.posts()).toMatchObject([
      { text: "post 1\n\nTea\nCoffee" },
      { text: "so true", quoted: { uri: "https://other.example/users/bob/statuses/9" } },
      { isRepost: true, reposted: { uri: "https://other.example/users/bob/statuses/9" } },
    ]);
  });

  test("an import of a Mastodon archive skips and counts posts that are not public", async () => {
    const followers = `${actorId}/followers`;
    const summary = await runImport([
      create(1),
      create(2, { to: [followers] }, { to: [followers], cc: [] }),
      create(3, { to: [followers], cc: [everyone] }, { to: [followers], cc: [everyone] }),
      create(4, { to: ["https://other.example/users/bob"] }),
      { ...create(5), type: "Like" },
    ]);
    expect(folder.posts().map(({ text }) => text)).toEqual(["post 1"]);
    expect(summary.rejected).toBe(0);
    expect([...summary.skipped]).toEqual([
      ["non-public posts", 3],
      ["activities other than posts", 1],
    ]);
  });

  test("an import reads a Mastodon archive from a zip file", async () => {
    const contentByName = { "actor.json": actor, "outbox.json": outbox([create(1)]) };
    const files = Object.entries(contentByName).map(([name, text]) => ({
      name,
      content: Buffer.from(text),
    }));
    const file = folder.file("archive.zip", zipArchive(files));
    expect(await folder.import(file, "mastodon", format)).toMatchObject({ imported: 1 });
    expect(folder.posts()).toMatchObject([{ authorName: "Ann A." }]);
  });

  test("an import of a Mastodon archive without actor.json takes the author from the actor URL if that ends with the name", async () => {
    const numbered = create(2, {}, { actor: "https://social.example/ap/users/1" });
    expect(await runImport([create(1), numbered])).toMatchObject({ imported: 1, rejected: 1 });
    expect(folder.posts()).toMatchObject([{ username: "ann@social.example", authorName: null }]);
    expect(folder.rejections).toEqual([expect.stringMatching(/^2: actor: .*actor\.json/)]);
  });

  test("an import of a Mastodon archive reports bad records by number, and writes them so that they can be repaired and imported", async () => {
    const badRecords = [
      7,
      create(2, { id: 5 }),
      create(3, { published: "soon" }),
      create(4, {}, { object: "x" }),
    ];
    expect(await runImport([create(1), ...badRecords])).toMatchObject({ imported: 1, rejected: 4 });
    expect(folder.rejections).toEqual([
      "2: expected an activity object",
      "3: uri: expected a string of 1 to 1200 characters without spaces, found 5",
      '4: created_at: expected a time in ISO 8601, such as 2015-02-24T19:35:52Z, found "soon"',
      "5: object: expected a post object",
    ]);
    const rejected = folder.rejected(folder.file("outbox.json", ""));
    const repaired = folder.file("repaired.json", rejected.replace("soon", "2023-01-02"));
    expect(await folder.import(repaired, "mastodon", format)).toMatchObject({ imported: 1 });
  });

  test("an import of a Mastodon archive tolerates missing and malformed optional fields", async () => {
    const anything = {
      tag: 5,
      attachment: "x",
      contentMap: [],
      summary: {},
      url: 1,
      content: null,
    };
    expect(await runImport([create(1, anything)])).toMatchObject({ imported: 1, rejected: 0 });
    expect(folder.posts()).toMatchObject([{ text: "", langs: [], media: [], url: null }]);
  });
});
