import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { storedForms, storeInSegmentAs } from "../../../testkit/archives/index-forms.ts";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { xUri } from "../../posts/ids.ts";
import type { PostReference } from "../../posts/post.ts";
import { postKey } from "../../posts/references.ts";

describe.each(storedForms)("posts found by %s", (form) => {
  let archive: SmallArchive;
  beforeEach(() => {
    archive = smallArchive();
  });
  afterEach(() => archive.remove());

  const did = "did:plc:author";
  const start = Date.UTC(2026, 0, 1);
  const atUri = (key: string) => `at://${did}/app.bsky.feed.post/${key}`;
  const to = (named: Partial<PostReference>): PostReference => ({
    id: null,
    uri: null,
    username: null,
    userId: null,
    ...named,
  });
  const onX = { platform: "x", userId: null, username: "ann" } as const;

  const found = (query: string): string[] =>
    archive
      .records(archive.query(query).positions)
      .map(({ Metadata }) => Metadata.uri)
      .sort();
  const uriId = (uri: string): string => {
    const record = archive
      .records(archive.search({ plan: { kind: "all" } }).positions)
      .find(({ Metadata }) => Metadata.uri === uri);
    return record?.ID ?? "";
  };

  describe("names of a post in a query", () => {
    const keys = (name: string) =>
      archive.reader.operations.resolve({ accounts: [], posts: [name] }).posts.get(name) ?? [];

    test("the ID of a stored post in a query means its uri, on every platform", () => {
      storeInSegmentAs(archive, [makePost({ key: "first" })], form);
      const id = uriId(atUri("first"));
      const key = postKey("bluesky", { id: null, uri: atUri("first") });
      expect(keys(id)).toContain(key);
      storeInSegmentAs(archive, [makePost({ ...onX, nativeId: BigInt(id) })], form);
      expect(keys(id)).toEqual(expect.arrayContaining([key, `x/${id}`]));
    });

    test("the ID of an X post without a native ID in a query means its uri, not a native ID", () => {
      const lost = makePost({ ...onX, uri: "import:x:abc" });
      storeInSegmentAs(
        archive,
        [lost, makePost({ ...onX, key: "2", uri: "import:x:answer", isReply: true })],
        form,
      );
      const id = uriId("import:x:abc");
      expect(keys(id)).toContain(postKey("x", { id: null, uri: "import:x:abc" }));
      expect(found(`conversation_id:${id}`)).toEqual(["import:x:abc"]);
      expect(found('conversation_id:"import:x:abc"')).toEqual(["import:x:abc"]);
    });

    test("a post URL with a handle means the posts of all accounts that ever had the handle", () => {
      const handleChange = (userId: string, handle: string, observedMs: number) =>
        ({ kind: "handle", platform: "bluesky", userId, handle, observedMs }) as const;
      archive.write([handleChange(did, "Old.example", 1), handleChange(did, "new.example", 2)]);
      archive.write([handleChange("did:plc:heir", "old.example", 3)]);
      const key = postKey("bluesky", { id: null, uri: atUri("3k") });
      const heirs = postKey("bluesky", {
        id: null,
        uri: "at://did:plc:heir/app.bsky.feed.post/3k",
      });
      const at = (handle: string) => keys(`https://bsky.app/profile/${handle}/post/3k`);
      expect(at("Old.Example")).toEqual(expect.arrayContaining([key, heirs]));
      expect(at("new.example")).toContain(key);
      expect(at("new.example")).not.toContain(heirs);
      expect(at("nobody.example")).not.toContain(key);
    });

    test("an unknown post name in a query matches nothing", () => {
      storeInSegmentAs(
        archive,
        [makePost({ key: "first" }), makePost({ ...onX, nativeId: 20n })],
        form,
      );
      for (const name of [
        "21",
        "9223372036854775807",
        "https://x.com/a/status/21",
        atUri("none"),
      ]) {
        expect(keys(name).length).toBeGreaterThan(0);
        for (const operator of [
          "conversation_id",
          "in_reply_to",
          "quoted",
          "retweets_of_tweet_id",
        ]) {
          expect(found(`${operator}:"${name}"`), `${operator} ${name}`).toEqual([]);
        }
      }
    });
  });

  describe("conversation", () => {
    test("a conversation contains its root and its replies, but no quotes of the root or other replies", () => {
      const inside = { isReply: true, conversationId: atUri("root") };
      storeInSegmentAs(
        archive,
        [
          makePost({ key: "root", createdMs: start }),
          makePost({ key: "answer", createdMs: start + 1, ...inside }),
          makePost({ key: "deep", createdMs: start + 2, ...inside }),
          makePost({ key: "quote", createdMs: start + 3, quoted: to({ uri: atUri("root") }) }),
          makePost({ key: "lost", createdMs: start + 4, isReply: true }),
        ],
        form,
      );
      const expected = ["answer", "deep", "root"].map(atUri);
      for (const name of [
        atUri("root"),
        uriId(atUri("root")),
        `https://bsky.app/profile/${did}/post/root`,
        "https://bsky.app/profile/author.example.com/post/root",
      ]) {
        expect(found(`conversation_id:"${name}"`), name).toEqual(expected);
      }
      expect(found(`conversation_id:"${atUri("answer")}"`)).toEqual([]);
    });

    test("a conversation on X is named by its root's native ID, in digits or in any URL", () => {
      const answer = { isReply: true, conversationId: "20", inReplyTo: to({ id: "20" }) };
      storeInSegmentAs(
        archive,
        [makePost({ ...onX, nativeId: 20n }), makePost({ ...onX, ...answer, nativeId: 21n })],
        form,
      );
      for (const name of [
        "20",
        "https://twitter.com/jack/status/20",
        "https://x.com/i/status/20?s=1",
      ]) {
        expect(found(`conversation_id:${name}`), name).toEqual([xUri(20n), xUri(21n)]);
        expect(found(`in_reply_to:${name}`), name).toEqual([xUri(21n)]);
      }
    });
  });
});
