import { connect } from "../testkit/service/http-client.ts";
import { residentMb, startServer } from "../testkit/service/server-process.ts";
import {
  type JetstreamServer,
  type StreamEvent,
  startJetstreamServer,
} from "../testkit/upstreams/jetstream-server.ts";
import { type Summary, summary } from "./measure.ts";
import type { QueryKind } from "./queries.ts";

export type ReadyFigures = {
  /** From process start to the first 200 of /readyz. */
  readyMs: number[];
  readyMb: number;
  searches: number;
  searchedMb: number;
};

export type LiveFigures = {
  posts: number;
  /** From sending an event to the end of the first search that finds its post. */
  searchableMs: Summary;
  likes: number;
  likesPerSecond: number;
  residentMb: number;
};

const startCount = 5;
const searches = 1_000;

export async function measureReady(
  dataDir: string,
  kinds: readonly QueryKind[],
  port: number,
): Promise<ReadyFigures> {
  const readyMs: number[] = [];
  for (let run = 1; run < startCount; run++) {
    const server = await startServer(dataDir, port);
    readyMs.push(server.readyMs);
    await server.stop();
  }
  const server = await startServer(dataDir, port);
  readyMs.push(server.readyMs);
  const readyMb = residentMb(server.pid);
  const client = connect(server.base, server.key);
  const queries = kinds.flatMap(({ queries }) => queries.slice(0, searches / kinds.length));
  for (let index = 0; index < searches; index++) {
    const query = queries[index % queries.length];
    if (query !== undefined) await client.result(await client.submit(query, 100));
  }
  const searchedMb = residentMb(server.pid);
  client.close();
  await server.stop();
  return { readyMs, readyMb, searches, searchedMb };
}

const livePosts = 200;
const likedPosts = 5_000;
const likes = 200_000;
const postCollection = "app.bsky.feed.post";

/** Follows a stream of posts, then likes, of a platform that is not yet in the archive. */
export async function measureLive(dataDir: string, port: number): Promise<LiveFigures> {
  const stream = await startJetstreamServer();
  const server = await startServer(dataDir, port, {
    EARSHOT_INGEST: "bluesky",
    EARSHOT_JETSTREAM_URLS: stream.url,
    EARSHOT_LABELER_URLS: "none",
    EARSHOT_LOOKUP: "off",
  });
  const client = connect(server.base, server.key);
  const run = Date.now().toString(36);
  while (stream.openConnections() === 0) await nextTurn();

  async function waitUntilFound(word: string): Promise<number> {
    const start = performance.now();
    while (!(await client.result(await client.submit(word, 1))).includes(word)) await nextTurn();
    return performance.now() - start;
  }

  const durations: number[] = [];
  for (let index = 0; index < livePosts; index++) {
    const word = `heard${run}n${index}`;
    stream.publish(postEvent(word, word));
    durations.push(await waitUntilFound(word));
  }
  for (let index = 0; index < likedPosts; index++) {
    stream.publish(postEvent(`liked${run}n${index}`, "a post that is liked"));
  }
  stream.publish(postEvent(`end${run}a`, `end${run}a`));
  await waitUntilFound(`end${run}a`);
  const start = performance.now();
  await publishLikes(stream, run);
  stream.publish(postEvent(`end${run}b`, `end${run}b`));
  await waitUntilFound(`end${run}b`);
  const seconds = (performance.now() - start) / 1_000;
  const figures = {
    posts: livePosts,
    searchableMs: summary(durations),
    likes,
    likesPerSecond: likes / seconds,
    residentMb: residentMb(server.pid),
  };
  client.close();
  await server.stop();
  await stream.close();
  return figures;
}

async function publishLikes(stream: JetstreamServer, run: string): Promise<void> {
  for (let index = 0; index < likes; index++) {
    const key = `liked${run}n${index % likedPosts}`;
    const subject = { uri: `at://${author}/${postCollection}/${key}`, cid: `cid${key}` };
    const collection = "app.bsky.feed.like";
    stream.publish(
      commit(`did:plc:liker${index % 9_973}`, collection, `like${run}n${index}`, { subject }),
    );
    if (index % 500 === 0) await nextTurn();
  }
}

const author = "did:plc:benchauthor";

const postEvent = (key: string, text: string): StreamEvent =>
  commit(author, postCollection, key, { text, langs: ["en"] });

let lastUs = 0;

function commit(
  did: string,
  collection: string,
  rkey: string,
  record: Record<string, unknown>,
): StreamEvent {
  lastUs = Math.max(lastUs + 1, Date.now() * 1_000);
  const createdAt = new Date(lastUs / 1_000).toISOString();
  const rev = lastUs.toString(36).padStart(13, "2");
  const operation = "create";
  const fullRecord = { $type: collection, createdAt, ...record };
  return {
    did,
    time_us: lastUs,
    kind: "commit",
    commit: { rev, operation, collection, rkey, record: fullRecord, cid: `cid${rkey}` },
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
