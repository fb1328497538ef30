import type { Draw } from "../../testkit/bluesky-world/draw.ts";
import { cast } from "./accounts.ts";
import { createBatch, writeAll } from "./batch.ts";
import type { Network } from "./network.ts";
import {
  type Account,
  type NetworkContent,
  type Post,
  type Reason,
  stateOf,
} from "./network-content.ts";

/** Hides posts and accounts by every means that the network offers. */
export async function moderate(
  network: Network,
  content: NetworkContent,
  draw: Draw,
): Promise<void> {
  await deletePosts(network, content, draw);
  for (const account of content.accounts) await hideAccount(network, account);
  for (const reason of [
    "taken down by the AppView",
    "taken down by a label",
    "hidden by a label",
  ] as const) {
    for (const post of shownPosts(content, draw, 15)) await hidePost(network, post, reason);
  }
  for (const post of shownPosts(content, draw, 40)) {
    await label(network, post.uri, addLabel(post, draw.pick(["porn", "spam", "graphic-media"])));
  }
  for (const account of content.accounts.slice(30, 36)) {
    await label(network, account.did, addLabel(account, draw.pick(["spam", "nudity"])));
  }
}

/** Authors delete some of their posts and reposts. */
async function deletePosts(network: Network, content: NetworkContent, draw: Draw): Promise<void> {
  const batches = content.accounts.map((author) => {
    const batch = createBatch(network, author);
    const drawOwn = <Item extends { author: Account }>(items: readonly Item[]): Item[] =>
      items.filter((item) => item.author === author && draw.chance(0.04));
    for (const post of drawOwn(content.posts)) {
      if (post === firstPostByStar(content)) continue;
      post.reason = "deleted";
      post.state = "removed";
      batch.remove(post.uri);
    }
    for (const repost of drawOwn(content.reposts)) {
      content.reposts.splice(content.reposts.indexOf(repost), 1);
      batch.remove(repost.uri);
    }
    return batch;
  });
  await writeAll(batches);
}

async function hideAccount(network: Network, account: Account): Promise<void> {
  const { did, reason } = account;
  const subject = { $type: "com.atproto.admin.defs#repoRef", did };
  const takedown = { takedown: { applied: true, ref: "1" } };
  if (reason === "taken down by its server") await network.setStatus("pds", subject, takedown);
  if (reason === "taken down by the AppView") await network.setStatus("appview", subject, takedown);
  if (reason === "deactivated")
    await network.setStatus("pds", subject, { deactivated: { applied: true } });
  if (reason === "taken down by a label") await label(network, did, "!takedown");
  if (reason === "hidden by a label") await label(network, did, "!hide");
  if (reason === "deleted") {
    const { administrator } = network;
    await network.call("com.atproto.admin.deleteAccount", administrator, { did });
  }
}

async function hidePost(network: Network, post: Post, reason: Reason): Promise<void> {
  const { uri, cid } = post;
  post.reason = reason;
  post.state = stateOf[reason];
  if (reason === "taken down by a label") await label(network, uri, "!takedown");
  if (reason === "hidden by a label") await label(network, uri, "!hide");
  if (reason === "taken down by the AppView") {
    const subject = { $type: "com.atproto.repo.strongRef", uri, cid };
    await network.setStatus("appview", subject, { takedown: { applied: true, ref: "1" } });
  }
}

function shownPosts(content: NetworkContent, draw: Draw, count: number): Post[] {
  const visible = content.posts.filter(
    (post) =>
      post.state === "visible" &&
      post.author.state === "visible" &&
      post.author.index > cast.silent &&
      draw.chance(0.05),
  );
  return visible.slice(0, count);
}

const firstPostByStar = ({ posts }: NetworkContent): Post | undefined =>
  posts.find(({ author }) => author.index === cast.star);

function addLabel(labelled: { labels: string[] }, value: string): string {
  if (!labelled.labels.includes(value)) labelled.labels = [...labelled.labels, value];
  return value;
}

async function label(network: Network, uri: string, val: string): Promise<void> {
  await network.control("labels", [{ uri, val, cts: new Date().toISOString() }]);
}
