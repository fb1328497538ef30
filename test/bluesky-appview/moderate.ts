import type { Draw } from "../../testkit/bluesky-world/draw.ts";
import { cast } from "./accounts.ts";
import { createBatch, writeAll } from "./batch.ts";
import type { Network } from "./network.ts";
import { type Account, type Post, type Reason, type Society, stateOf } from "./society.ts";

/** In all ways that the network has. */
export async function moderate(network: Network, society: Society, draw: Draw): Promise<void> {
  await takeBack(network, society, draw);
  for (const account of society.accounts) await hideAccount(network, account);
  for (const why of [
    "taken down by the AppView",
    "taken down by a label",
    "hidden by a label",
  ] as const) {
    for (const post of shownPosts(society, draw, 15)) await hidePost(network, post, why);
  }
  for (const post of shownPosts(society, draw, 40)) {
    await label(network, post.uri, addedTo(post, draw.pick(["porn", "spam", "graphic-media"])));
  }
  for (const account of society.accounts.slice(30, 36)) {
    await label(network, account.did, addedTo(account, draw.pick(["spam", "nudity"])));
  }
}

/** Their authors delete them. */
async function takeBack(network: Network, society: Society, draw: Draw): Promise<void> {
  const batches = society.accounts.map((by) => {
    const batch = createBatch(network, by);
    const own = <Item extends { by: Account }>(items: readonly Item[]): Item[] =>
      items.filter((item) => item.by === by && draw.chance(0.04));
    for (const post of own(society.posts)) {
      if (post === firstOfStar(society)) continue;
      post.why = "deleted";
      post.standing = "gone";
      batch.remove(post.uri);
    }
    for (const repost of own(society.reposts)) {
      society.reposts.splice(society.reposts.indexOf(repost), 1);
      batch.remove(repost.uri);
    }
    return batch;
  });
  await writeAll(batches);
}

async function hideAccount(network: Network, account: Account): Promise<void> {
  const { did, why } = account;
  const subject = { $type: "com.atproto.admin.defs#repoRef", did };
  const takedown = { takedown: { applied: true, ref: "1" } };
  if (why === "taken down by its server") await network.rule("pds", subject, takedown);
  if (why === "taken down by the AppView") await network.rule("appview", subject, takedown);
  if (why === "deactivated") await network.rule("pds", subject, { deactivated: { applied: true } });
  if (why === "taken down by a label") await label(network, did, "!takedown");
  if (why === "hidden by a label") await label(network, did, "!hide");
  if (why === "deleted") {
    const { administrator } = network;
    await network.call("com.atproto.admin.deleteAccount", administrator, { did });
  }
}

async function hidePost(network: Network, post: Post, why: Reason): Promise<void> {
  const { uri, cid } = post;
  post.why = why;
  post.standing = stateOf[why];
  if (why === "taken down by a label") await label(network, uri, "!takedown");
  if (why === "hidden by a label") await label(network, uri, "!hide");
  if (why === "taken down by the AppView") {
    const subject = { $type: "com.atproto.repo.strongRef", uri, cid };
    await network.rule("appview", subject, { takedown: { applied: true, ref: "1" } });
  }
}

function shownPosts(society: Society, draw: Draw, count: number): Post[] {
  const shown = society.posts.filter(
    (post) =>
      post.standing === "shown" &&
      post.by.standing === "shown" &&
      post.by.index > cast.silent &&
      draw.chance(0.05),
  );
  return shown.slice(0, count);
}

const firstOfStar = ({ posts }: Society): Post | undefined =>
  posts.find(({ by }) => by.index === cast.star);

function addedTo(labelled: { labels: string[] }, value: string): string {
  if (!labelled.labels.includes(value)) labelled.labels = [...labelled.labels, value];
  return value;
}

async function label(network: Network, uri: string, val: string): Promise<void> {
  await network.control("labels", [{ uri, val, cts: new Date().toISOString() }]);
}
