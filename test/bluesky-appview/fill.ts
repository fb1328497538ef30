import type { Draw } from "../../testkit/bluesky-world/draw.ts";
import { addProfile, cast, makeAccounts, uploadPictures } from "./accounts.ts";
import { type Batch, createBatch, writeAll } from "./batch.ts";
import { type Around, drawPost } from "./draw-post.ts";
import type { Network } from "./network.ts";
import type { Account, Post, Reference, Society } from "./society.ts";

const rounds = 3;
const stepMs = 300_000;
const beforeMs = 30 * 86_400_000;

/**
 * Fills the network with random accounts, posts, likes, reposts and follows, with past times in writing order; none
 * hidden or deleted.
 */
export async function fillNetwork(network: Network, draw: Draw): Promise<Society> {
  const accounts = await makeAccounts(network);
  const pictures = await uploadPictures(network, accounts);
  const society: Society = { accounts, posts: [], reposts: [], likes: [], follows: [] };
  let lastMs = Date.now() - beforeMs;
  const nextMs = (): number => {
    // Some share a moment.
    if (!draw.chance(0.02)) lastMs += stepMs + draw.below(1_000);
    return lastMs;
  };

  const addPost = (batch: Batch, about: Partial<Around>): void => {
    const { by } = batch;
    const around = { parent: null, quoted: null, named: null, picture: null, ...about };
    const { record, post } = drawPost(draw, { by, createdMs: nextMs(), ...around });
    batch.add("app.bsky.feed.post", record, (reference) => {
      society.posts.push({ ...post, ...reference });
    });
  };

  const beginnings = (by: Account): Batch => {
    const batch = createBatch(network, by);
    addProfile(batch, draw, nextMs(), pictures.get(by) ?? null);
    for (const to of accounts) {
      if (to === by || by.why === "deleted" || !draw.chance(shareOfFollows(by, to))) continue;
      const createdMs = nextMs();
      batch.add("app.bsky.graph.follow", { subject: to.did, createdAt: timeText(createdMs) }, () =>
        society.follows.push({ by, to, createdMs }),
      );
    }
    return batch;
  };

  const posts = (by: Account): Batch => {
    const batch = createBatch(network, by);
    const { posts: known } = society;
    const star = known.find((post) => post.by.index === cast.star) ?? null;
    const thread = known.filter(({ root }) => root !== null && root === star);
    // A deleted account must not affect the counts of others.
    const isReceived = by.why !== "deleted";
    for (let left = postsOf(by); left > 0; left--) {
      addPost(batch, {
        parent: isReceived && draw.chance(0.3) ? draw.pickOrNull(known) : null,
        quoted: isReceived && draw.chance(0.12) ? draw.pickOrNull(known) : null,
        named: draw.chance(0.1) ? draw.pick(accounts) : null,
        picture: pictures.get(by) ?? null,
      });
    }
    if (isReceived && star !== null && by.index !== cast.silent && draw.chance(0.35)) {
      addPost(batch, { parent: draw.pick([star, star, ...thread]) });
    }
    return batch;
  };

  const reactions = (by: Account): Batch => {
    const batch = createBatch(network, by);
    const isReceived = by.why !== "deleted" && by.index !== cast.silent;
    const [star] = society.posts.filter((post) => post.by.index === cast.star);
    const reposted = new Set<Post>(star !== undefined && draw.chance(0.85) ? [star] : []);
    const liked = new Set<Post>(reposted);
    for (let left = isReceived && !isQuiet(by) ? draw.below(12) : 0; left > 0; left--) {
      reposted.add(draw.pick(society.posts));
    }
    for (let left = isReceived ? draw.below(30) : 0; left > 0; left--) {
      liked.add(draw.pick(society.posts));
    }
    for (const of of isReceived ? reposted : []) {
      const createdMs = nextMs();
      batch.add("app.bsky.feed.repost", reactionTo(of, createdMs), ({ uri }) =>
        society.reposts.push({ uri, by, of, createdMs }),
      );
    }
    for (const of of isReceived ? liked : []) {
      batch.add("app.bsky.feed.like", reactionTo(of, lastMs), () => society.likes.push({ by, of }));
    }
    return batch;
  };

  await writeAll(accounts.map(beginnings));
  for (let round = 0; round < rounds; round++) await writeAll(accounts.map(posts));
  const talkers = accounts.slice(20, 26);
  for (const by of [...talkers, ...talkers]) {
    const batch = createBatch(network, by);
    addPost(batch, { parent: society.posts.at(-1) ?? null });
    await writeAll([batch]);
  }
  await writeAll(accounts.map(reactions));
  return society;
}

function postsOf({ index, standing }: Account): number {
  if (index === cast.star) return 45;
  if (index === cast.prolific) return 110;
  if (index === cast.silent) return 0;
  if (isQuiet({ index })) return 2;
  return standing === "shown" ? 8 : 4;
}

/** A home timeline has ten own posts and reposts a page, and skips the rest of that time. */
const isQuiet = ({ index }: Pick<Account, "index">): boolean =>
  [cast.reader, cast.other, cast.silent, cast.allower].some((quiet) => quiet === index);

function shareOfFollows(by: Account, to: Account): number {
  if (by.index === cast.silent) return 0;
  if (to.index === cast.star || by.index === cast.star) return 0.85;
  if (by.index === cast.reader) return 0.12;
  return 0.03;
}

const timeText = (ms: number): string => new Date(ms).toISOString();

const reactionTo = ({ uri, cid }: Reference, createdMs: number): object => ({
  subject: { uri, cid },
  createdAt: timeText(createdMs),
});
