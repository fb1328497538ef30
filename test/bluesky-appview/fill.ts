import type { Draw } from "../../testkit/bluesky-world/draw.ts";
import { addProfile, cast, makeAccounts, uploadPictures } from "./accounts.ts";
import { type Batch, createBatch, writeAll } from "./batch.ts";
import { drawPost, type PostContext } from "./draw-post.ts";
import type { Network } from "./network.ts";
import type { Account, NetworkContent, Post, Reference } from "./network-content.ts";

const rounds = 3;
const stepMs = 300_000;
const historyMs = 30 * 86_400_000;

/**
 * Fills the network with random accounts, posts, likes, reposts and follows, with past times in writing order. None are
 * hidden or deleted yet.
 */
export async function fillNetwork(network: Network, draw: Draw): Promise<NetworkContent> {
  const accounts = await makeAccounts(network);
  const pictures = await uploadPictures(network, accounts);
  const content: NetworkContent = { accounts, posts: [], reposts: [], likes: [], follows: [] };
  let lastMs = Date.now() - historyMs;
  const nextMs = (): number => {
    // Some records share a time.
    if (!draw.chance(0.02)) lastMs += stepMs + draw.below(1_000);
    return lastMs;
  };

  const addPost = (batch: Batch, context: Partial<PostContext>): void => {
    const { author } = batch;
    const postContext = { parent: null, quoted: null, mention: null, picture: null, ...context };
    const { record, post } = drawPost(draw, { author, createdMs: nextMs(), ...postContext });
    batch.add("app.bsky.feed.post", record, (reference) => {
      content.posts.push({ ...post, ...reference });
    });
  };

  const firstBatch = (author: Account): Batch => {
    const batch = createBatch(network, author);
    addProfile(batch, draw, nextMs(), pictures.get(author) ?? null);
    for (const subject of accounts) {
      if (
        subject === author ||
        author.reason === "deleted" ||
        !draw.chance(followChance(author, subject))
      )
        continue;
      const createdMs = nextMs();
      batch.add(
        "app.bsky.graph.follow",
        { subject: subject.did, createdAt: timeText(createdMs) },
        () => content.follows.push({ author, subject, createdMs }),
      );
    }
    return batch;
  };

  const postBatch = (author: Account): Batch => {
    const batch = createBatch(network, author);
    const { posts: earlierPosts } = content;
    const star = earlierPosts.find((post) => post.author.index === cast.star) ?? null;
    const thread = earlierPosts.filter(({ root }) => root !== null && root === star);
    // A deleted account must not affect the counts of others.
    const isCounted = author.reason !== "deleted";
    for (let remaining = postCount(author); remaining > 0; remaining--) {
      addPost(batch, {
        parent: isCounted && draw.chance(0.3) ? draw.pickOrNull(earlierPosts) : null,
        quoted: isCounted && draw.chance(0.12) ? draw.pickOrNull(earlierPosts) : null,
        mention: draw.chance(0.1) ? draw.pick(accounts) : null,
        picture: pictures.get(author) ?? null,
      });
    }
    if (isCounted && star !== null && author.index !== cast.silent && draw.chance(0.35)) {
      addPost(batch, { parent: draw.pick([star, star, ...thread]) });
    }
    return batch;
  };

  const reactionBatch = (author: Account): Batch => {
    const batch = createBatch(network, author);
    const isCounted = author.reason !== "deleted" && author.index !== cast.silent;
    const [star] = content.posts.filter((post) => post.author.index === cast.star);
    const reposted = new Set<Post>(star !== undefined && draw.chance(0.85) ? [star] : []);
    const liked = new Set<Post>(reposted);
    for (
      let remaining = isCounted && !isQuiet(author) ? draw.below(12) : 0;
      remaining > 0;
      remaining--
    ) {
      reposted.add(draw.pick(content.posts));
    }
    for (let remaining = isCounted ? draw.below(30) : 0; remaining > 0; remaining--) {
      liked.add(draw.pick(content.posts));
    }
    for (const subject of isCounted ? reposted : []) {
      const createdMs = nextMs();
      batch.add("app.bsky.feed.repost", reactionTo(subject, createdMs), ({ uri }) =>
        content.reposts.push({ uri, author, subject, createdMs }),
      );
    }
    for (const subject of isCounted ? liked : []) {
      batch.add("app.bsky.feed.like", reactionTo(subject, lastMs), () =>
        content.likes.push({ author, subject }),
      );
    }
    return batch;
  };

  await writeAll(accounts.map(firstBatch));
  for (let round = 0; round < rounds; round++) await writeAll(accounts.map(postBatch));
  const talkers = accounts.slice(20, 26);
  for (const author of [...talkers, ...talkers]) {
    const batch = createBatch(network, author);
    addPost(batch, { parent: content.posts.at(-1) ?? null });
    await writeAll([batch]);
  }
  await writeAll(accounts.map(reactionBatch));
  return content;
}

function postCount({ index, state }: Account): number {
  if (index === cast.star) return 45;
  if (index === cast.prolific) return 110;
  if (index === cast.silent) return 0;
  if (isQuiet({ index })) return 2;
  return state === "visible" ? 8 : 4;
}

/** A home timeline page has at most ten of the viewer's own posts and reposts, and skips others of that time. */
const isQuiet = ({ index }: Pick<Account, "index">): boolean =>
  [cast.reader, cast.secondReader, cast.silent, cast.authorizer].some((quiet) => quiet === index);

function followChance(author: Account, subject: Account): number {
  if (author.index === cast.silent) return 0;
  if (subject.index === cast.star || author.index === cast.star) return 0.85;
  if (author.index === cast.reader) return 0.12;
  return 0.03;
}

const timeText = (ms: number): string => new Date(ms).toISOString();

const reactionTo = ({ uri, cid }: Reference, createdMs: number): object => ({
  subject: { uri, cid },
  createdAt: timeText(createdMs),
});
