import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { zipArchive } from "../../../../testkit/archives/zip-archive.ts";
import { defaultImportLimits } from "../settings.ts";
import { createImportFolder, type ImportFolder } from "./import-folder.test-support.ts";
import { xArchiveFormat } from "./x-archive.ts";

let folder: ImportFolder;
beforeEach(() => {
  folder = createImportFolder();
});
afterEach(() => folder.remove());

const format = xArchiveFormat({ author: null });
const account = `window.YTD.account.part0 = [ {
  "account" : { "username" : "harbour_demo", "accountId" : "42", "accountDisplayName" : "Harbour" }
} ]`;

const tweet = (id: number, overrides: object = {}) => ({
  tweet: {
    id_str: String(1_000_000_000_000_000_000n + BigInt(id)),
    created_at: "Tue May 29 10:11:12 +0200 2018",
    full_text: `post ${id}`,
    ...overrides,
  },
});
const tweetsFile = (tweets: readonly object[], part = 0) =>
  `window.YTD.tweets.part${part} = ${JSON.stringify(tweets, null, 2)}`;

describe("an X archive", () => {
  test("an import of an X archive stores text, time, counts, links, mentions, media and location", async () => {
    const fullTweet = tweet(1, {
      full_text: "Hello @Anna, see https://t.co/a https://t.co/q #one https://t.co/m",
      lang: "en",
      favorite_count: "12",
      retweet_count: "3",
      source: '<a href="https://x.example" rel="nofollow">A client</a>',
      in_reply_to_status_id_str: "20",
      in_reply_to_screen_name: "bert",
      possibly_sensitive: false,
      coordinates: { type: "Point", coordinates: ["-7.4", "62.1"] },
      entities: {
        hashtags: [{ text: "one" }],
        user_mentions: [{ screen_name: "Anna", id_str: "7", name: "Anna" }],
        urls: [
          { url: "https://t.co/a", expanded_url: "https://one.example/page" },
          { url: "https://t.co/q", expanded_url: "https://twitter.com/anna/status/21?s=20" },
        ],
      },
      extended_entities: {
        media: [
          { type: "photo", media_url_https: "https://pbs.example/p.jpg" },
          {
            type: "video",
            media_url_https: "https://pbs.example/still.jpg",
            video_info: {
              variants: [
                { content_type: "application/x-mpegURL", url: "https://v.example/a.m3u8" },
                { content_type: "video/mp4", bitrate: "632000", url: "https://v.example/low.mp4" },
                { content_type: "video/mp4", bitrate: "950000", url: "https://v.example/high.mp4" },
              ],
            },
          },
        ],
      },
    });
    folder.file("account.js", account);
    const file = folder.file("tweets.js", tweetsFile([fullTweet]));
    expect(await folder.import(file, "x", format)).toMatchObject({ imported: 1, rejected: 0 });
    expect(folder.posts()).toMatchObject([
      {
        uri: "https://x.com/i/status/1000000000000000001",
        nativeId: 1_000_000_000_000_000_001n,
        username: "harbour_demo",
        userId: "42",
        authorName: "Harbour",
        createdAt: "2018-05-29T08:11:12Z",
        text: "Hello @Anna, see https://t.co/a https://t.co/q #one https://t.co/m",
        langs: ["en"],
        counts: { likes: 12, reposts: 3, replies: null, quotes: null },
        source: "A client",
        inReplyTo: { id: "20", username: "bert" },
        quoted: { id: "21" },
        hashtags: ["one"],
        mentions: [{ username: "Anna", userId: "7" }],
        urls: [
          "https://one.example/page",
          "https://twitter.com/anna/status/21?s=20",
          "https://t.co/m",
        ],
        media: [
          { type: "photo", url: "https://pbs.example/p.jpg" },
          { type: "video", url: "https://v.example/high.mp4" },
        ],
        geo: { lat: 62.1, lon: -7.4 },
        sensitive: false,
        origin: "import",
      },
    ]);
  });

  test("an import of an X archive detects reposts by their text", async () => {
    const text = "RT @anna: look https://t.co/q";
    const entities = {
      user_mentions: [{ screen_name: "anna", id_str: "7" }],
      urls: [{ url: "https://t.co/q", expanded_url: "https://x.com/bert/status/20" }],
    };
    folder.file("account.js", account);
    const file = folder.file("tweets.js", tweetsFile([tweet(1, { full_text: text, entities })]));
    await folder.import(file, "x", format);
    expect(folder.posts()).toMatchObject([
      { isRepost: true, isReply: false, quoted: null, reposted: { username: "anna", userId: "7" } },
    ]);
  });

  test("an import of an X archive reads all parts in a zip archive and nothing else", async () => {
    const zip = zipArchive([
      { name: "data/account.js", content: Buffer.from(account) },
      { name: "data/deleted-tweets.js", content: Buffer.from(tweetsFile([tweet(9)])) },
      { name: "data/tweets.js", content: Buffer.from(tweetsFile([tweet(1), tweet(2)])) },
      { name: "data/tweets-part1.js", content: Buffer.from(`${tweetsFile([tweet(3)], 1)};\n`) },
    ]);
    const file = folder.file("twitter.zip", zip);
    expect(await folder.import(file, "x", format)).toMatchObject({ imported: 3, rejected: 0 });
    expect(folder.posts().map(({ text }) => text)).toEqual(["post 1", "post 2", "post 3"]);
    expect(await folder.import(file, "x", format)).toMatchObject({ alreadyImported: true });
  });

  test("an X archive without account.js requires an author", async () => {
    const file = folder.file("tweets.js", tweetsFile([tweet(1)]));
    await expect(folder.import(file, "x", format)).rejects.toMatchObject({
      code: "import_unreadable",
      hint: expect.stringContaining("--author HANDLE"),
    });
    await folder.import(file, "x", xArchiveFormat({ author: "harbour_demo" }));
    expect(folder.posts()).toMatchObject([{ username: "harbour_demo", userId: null }]);
  });

  test("an import of an X archive reports bad records by number, and writes each on a line so that it can be repaired and imported", async () => {
    folder.file("account.js", account);
    const badTweets = [tweet(2, { id_str: "x" }), tweet(3, { created_at: 5 }), { like: {} }];
    const file = folder.file(
      "tweets.js",
      tweetsFile([tweet(1), ...badTweets, 7 as unknown as object]),
    );
    expect(await folder.import(file, "x", format)).toMatchObject({ imported: 1, rejected: 4 });
    expect(folder.rejections).toEqual([
      '2: id: expected a decimal string, found "x"',
      "3: created_at: expected a time in ISO 8601, such as 2015-02-24T19:35:52Z, found 5",
      "4: created_at: expected a time in ISO 8601, such as 2015-02-24T19:35:52Z, found none",
      '5: expected an object {"tweet": {…}}',
    ]);
    const rejected = folder.rejected(file);
    expect(rejected.trim().split("\n")).toHaveLength(4);
    const repaired = folder.file(
      "repaired.js",
      rejected.replace('"x"', '"30"').replace("5,", '"Tue May 29 10:11:12 +0200 2018",'),
    );
    expect(await folder.import(repaired, "x", format)).toMatchObject({ imported: 2, rejected: 2 });
  });

  test("an import of an X archive resumes after the last batch of a crashed process without duplicates", async () => {
    folder.file("account.js", account);
    const file = folder.file(
      "tweets.js",
      tweetsFile(Array.from({ length: 12_000 }, (_unused, index) => tweet(index))),
    );
    let batches = 0;
    folder.archive.beforeWrite = () => {
      batches += 1;
      if (batches === 2) throw new Error("killed");
    };
    await expect(folder.import(file, "x", format)).rejects.toThrow("killed");
    expect(folder.posts()).toHaveLength(5_000);
    folder.archive.beforeWrite = () => {};
    expect(await folder.import(file, "x", format)).toMatchObject({
      imported: 7_000,
      unchanged: 0,
      resumedAfterLines: 5_000,
    });
    expect(folder.posts()).toHaveLength(12_000);
  });
});

describe("a hostile archive is rejected", () => {
  test("an X archive is rejected when it decompresses beyond the size or ratio limit", async () => {
    const zip = zipArchive([
      { name: "data/account.js", content: Buffer.from(account) },
      { name: "data/tweets.js", content: Buffer.alloc(110 * 1024 ** 2, " ") },
    ]);
    const file = folder.file("bomb.zip", zip);
    await expect(folder.import(file, "x", format)).rejects.toMatchObject({
      code: "import_too_large",
      hint: expect.stringContaining("EARSHOT_IMPORT_MAX_RATIO"),
    });
    const limits = { ...defaultImportLimits, maxBytes: 10_000 };
    await expect(folder.import(file, "x", format, { limits })).rejects.toMatchObject({
      code: "import_too_large",
      hint: expect.stringContaining("EARSHOT_IMPORT_MAX_BYTES"),
    });
  });

  test("an X archive is rejected when account.js is too large or not JSON", async () => {
    for (const content of [Buffer.alloc(2 * 1024 ** 2, "["), Buffer.from("[{]")]) {
      folder.file("account.js", content);
      const file = folder.file("tweets.js", tweetsFile([tweet(1)]));
      await expect(folder.import(file, "x", format)).rejects.toMatchObject({
        code: "import_unreadable",
        message: expect.stringContaining("account.js"),
      });
    }
  });

  test("an X archive is rejected when it has no tweets, is a tar archive, or is truncated", async () => {
    folder.file("account.js", account);
    const tar = Buffer.alloc(1_024);
    tar.write("ustar", 257);
    const text = tweetsFile([tweet(1), tweet(2)]);
    const rejectedFiles: [string | Buffer, string][] = [
      [zipArchive([{ name: "a.txt", content: Buffer.from("a") }]), "no file in it"],
      [tar, "it is a tar archive"],
      [text.slice(0, -20), "truncated within a list"],
    ];
    for (const [content, message] of rejectedFiles) {
      const file = folder.file("tweets.js", content);
      await expect(folder.import(file, "x", format)).rejects.toMatchObject({
        code: "import_unreadable",
        message: expect.stringContaining(message),
      });
    }
    expect(folder.posts().map(({ text: first }) => first)).toEqual(["post 1"]);
  });

  test("only the overlong record in an X archive is rejected", async () => {
    folder.file("account.js", account);
    const longTweet = tweet(2, { full_text: "x".repeat(50_000) });
    const file = folder.file("tweets.js", tweetsFile([tweet(1), longTweet, tweet(3)]));
    const limits = { ...defaultImportLimits, maxLineBytes: 10_000 };
    const summary = await folder.import(file, "x", format, { limits });
    expect(summary).toMatchObject({ imported: 2, rejected: 1 });
    expect(folder.rejections).toEqual(["2: longer than 10000 bytes"]);
  });
});
