import { describe, expect, test } from "vitest";
import { readCommitPost } from "../../platforms/bluesky/post.ts";
import { readFeedView } from "../../platforms/bluesky/post-view.ts";
import { readStatusPost } from "../../platforms/mastodon/post.ts";
import { toFetchedItem } from "../../platforms/render-record.ts";
import { readXPost } from "../../platforms/x/read-post.ts";
import { lowestId } from "../../posts/ids.ts";
import type { Post } from "../../posts/post.ts";
import { readRecord } from "./read-record.ts";

const nowMs = Date.UTC(2026, 0, 31, 12);
const createdAt = new Date(nowMs - 60_000).toISOString();
const author = { did: "did:plc:ann", handle: "ann.example", labels: [] };
const uri = "at://did:plc:ann/app.bsky.feed.post/3k";
const view = { uri, author, record: { text: "cats", createdAt }, indexedAt: createdAt };

const status = {
  id: "7",
  uri: "https://mas.to/users/ann/statuses/7",
  account: { id: "1", acct: "ann" },
  content: "cats",
  created_at: createdAt,
};
const statusOptions = { instance: "mas.to", seenMs: nowMs, origin: "stream" } as const;

const includes = { posts: new Map(), users: new Map(), media: new Map(), places: new Map() };
const number = lowestId(nowMs - 60_000).toString();
const tweet = { id: number, author_id: "12", text: "cats", created_at: createdAt };

const readPosts: readonly [string, unknown][] = [
  [
    "a post of Bluesky's stream",
    readCommitPost({
      did: "did:plc:ann",
      collection: "app.bsky.feed.post",
      rkey: "3k",
      rev: "",
      record: { text: "cats", createdAt },
      seenMs: nowMs,
    }),
  ],
  ["a post of a Bluesky feed", readFeedView({ post: view }, nowMs)],
  [
    "a repost of a Bluesky feed",
    readFeedView(
      {
        post: view,
        reason: {
          $type: "app.bsky.feed.defs#reasonRepost",
          by: { ...author, did: "did:plc:bob" },
          indexedAt: createdAt,
        },
      },
      nowMs,
    ),
  ],
  ["a status", readStatusPost(status, statusOptions)],
  [
    "a status of a server whose address has capitals",
    readStatusPost({ ...status, uri: "https://Mas.TO/é?p=7#x" }, statusOptions),
  ],
  [
    "a boost",
    readStatusPost({ ...status, id: "8", uri: `${status.uri}0`, reblog: status }, statusOptions),
  ],
  ["a post of X", readXPost(tweet, includes as never)],
  [
    "a repost of X",
    readXPost(
      { ...tweet, referenced_tweets: [{ type: "retweeted", id: "20" }] },
      includes as never,
    ),
  ],
];

describe.each(["everything", "ids"] as const)("records that show %s", (displayScope) => {
  test.each(readPosts)("the record of %s is accepted", (_name, post) => {
    expect(post).toMatchObject({ uri: expect.any(String), userId: expect.any(String) });
    const options = { displayScope, recordId: () => lowestId(nowMs), nowMs };
    const item = toFetchedItem({ kind: "post", post: post as Post }, options);
    expect(readRecord(item.record)).toMatchObject({ kind: "post" });
  });
});
