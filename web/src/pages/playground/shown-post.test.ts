import { parseQuery } from "@earshot/query";
import { describe, expect, it } from "vitest";
import type { PostRecord } from "./answer.ts";
import { highlightTerms } from "./marks.ts";
import { shownPost } from "./shown-post.ts";

const terms = highlightTerms(parseQuery("harbour").tree);

const record = (metadata: PostRecord["Metadata"], content = "the harbour"): PostRecord => ({
  ID: "7",
  Content: content,
  Metadata: metadata,
  Score: 1,
});

describe("a post's card", () => {
  it("a post's card marks posts from reserved domains as samples", () => {
    const isSample = (username: string) => shownPost(record({ username }), terms).isSample;
    expect(isSample("otto.example.com")).toBe(true);
    expect(isSample("bakery@social.example.org")).toBe(true);
    expect(isSample("example.com.bsky.social")).toBe(false);
    expect(isSample("notexample.com")).toBe(false);
  });

  it("a post's card shows author, matches and the known counts", () => {
    const metadata = {
      platform: "bluesky",
      username: "ann.example",
      author: "Ann",
      created_at: "2026-01-31T11:59:00Z",
      url: "https://bsky.app/profile/ann.example/post/1",
      public_metrics: { like_count: 0, retweet_count: null, reply_count: 2 },
    } as const;
    expect(shownPost(record(metadata), terms)).toMatchObject({
      author: "Ann",
      handle: "ann.example",
      at: "2026-01-31T11:59:00Z",
      platform: { name: "Bluesky" },
      parts: [
        { text: "the ", isMatch: false },
        { text: "harbour", isMatch: true },
      ],
      metrics: [
        { name: "Replies", count: 2 },
        { name: "Likes", count: 0 },
      ],
    });
  });

  it("a post's card has no text if the platform allows only the ID", () => {
    expect(shownPost(record({ kind: "ids", platform: "x" }, ""), terms)).toMatchObject({
      parts: null,
      author: null,
      handle: null,
    });
  });

  it.each(["javascript:alert(1)", "data:text/html,x", "//bsky.app", "nonsense", "", null])(
    "a post's card does not link to %j",
    (url) => {
      expect(shownPost(record({ platform: "bluesky", url }), terms).url).toBeNull();
    },
  );

  it("a post's card handles a record without Metadata or with an invalid time", () => {
    expect(shownPost(record(null), terms)).toMatchObject({
      platform: null,
      at: null,
      url: null,
    });
    expect(shownPost(record({ created_at: "never" }), terms).at).toBeNull();
  });
});
