import { createDraw } from "../../testkit/bluesky-world/draw.ts";
import { testSeed } from "../../testkit/seed.ts";
import { cast } from "./accounts.ts";
import { fillNetwork } from "./fill.ts";
import { moderate } from "./moderate.ts";
import { type Network, startNetwork } from "./network.ts";
import type { Account, NetworkContent, Post } from "./network-content.ts";
import { expectedTruth, type Truth } from "./truth.ts";

export type World = {
  network: Network;
  content: NetworkContent;
  truth: Truth;
  /** The generator also lists hidden posts. */
  feed: { uri: string; posts: readonly Post[] };
};

/** The network's content is reproducible from its seed. */
export async function startWorld(): Promise<World> {
  const seed = testSeed(20_261_122);
  const startedMs = performance.now();
  const network = await startNetwork();
  const draw = createDraw(seed);
  const content = await fillNetwork(network, draw);
  const filledMs = performance.now();
  const star = content.accounts[cast.star];
  if (star === undefined) throw new Error("no accounts");
  const feed = await publishFeed(network, star, content);
  await network.control("settled", null);
  await moderate(network, content, draw);
  await network.control("settled", null);
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  const { accounts, posts, reposts, likes, follows } = content;
  console.log(
    `EARSHOT_TEST_SEED=${seed}: ${accounts.length} accounts, ${posts.length} posts, ${reposts.length} reposts, ` +
      `${likes.length} likes, ${follows.length} follows; written in ${seconds(filledMs - startedMs)}, ` +
      `indexed by the AppView ${seconds(performance.now() - filledMs)} later`,
  );
  console.log(
    "Differences from Bluesky itself: this AppView has no trends, its search matches substrings and has no filters, " +
      "and its labeler is a database table.",
  );
  return { network, content, truth: expectedTruth(content), feed };
}

async function publishFeed(
  network: Network,
  author: Account,
  { posts }: NetworkContent,
): Promise<World["feed"]> {
  const collection = "app.bsky.feed.generator";
  const { feedDid: did } = network;
  const createdAt = new Date().toISOString();
  const { uri } = await network.call<{ uri: string }>(
    "com.atproto.repo.createRecord",
    author.authorization,
    {
      repo: author.did,
      collection,
      rkey: "earshot",
      record: { did, displayName: "For you", createdAt },
    },
  );
  const feedPosts = posts.filter((_post, index) => index % 40 === 0);
  await network.control(
    "feed",
    feedPosts.map((post) => post.uri),
  );
  return { uri, posts: feedPosts };
}
