import { Agent, fetch } from "undici";
import { startServiceUnderTest } from "../testkit/service/service-under-test.ts";
import {
  rateLimitedReply,
  replyWith,
  startHostileUpstream,
} from "../testkit/upstreams/hostile-upstream.ts";
import {
  makeUpstreamJob,
  openTestSessions,
  pooledCredential,
  testUpstream,
} from "../testkit/upstreams/sessions.ts";
import { command, summary, table, timed } from "./measure.ts";

/**
 * The cost of a source over a bare fetch: a Bluesky timeline, one page of 50 posts, from a local server. Bare: fetch
 * and `JSON.parse`. Session: with limits, pacing and checks. Source: the whole answer. Then a hundred concurrent jobs
 * on one limited credential.
 */
const runs = 5;
const rounds = 200;
const posts = 50;
const did = "did:plc:ewvi7nxzyoun6zhxrhs64oiz";

const body = JSON.stringify({ feed: Array.from({ length: posts }, (_, n) => ({ post: view(n) })) });
const upstream = await startHostileUpstream(
  replyWith(200, { "content-type": "application/json" }, body),
);
const service = await startServiceUnderTest({
  EARSHOT_BLUESKY_PUBLIC: "on",
  EARSHOT_BLUESKY_APPVIEW_URL: upstream.url,
  EARSHOT_UPSTREAM_PRIVATE_HOSTS: upstream.url,
  EARSHOT_UPSTREAM_DISPATCHES_PER_SECOND: "10000",
});
const setup = openTestSessions(testUpstream("bluesky", { publicBaseUrl: upstream.url }), [
  upstream.url,
]);
const path = `/xrpc/app.bsky.feed.getAuthorFeed?actor=${encodeURIComponent(did)}&limit=${posts}`;
const agent = new Agent();
let jobs = 0;

function nextJob() {
  jobs += 1;
  return makeUpstreamJob(`job ${jobs}`);
}

async function fetchBare(): Promise<void> {
  const response = await fetch(`${upstream.url}${path}`, { dispatcher: agent });
  JSON.parse(await response.text());
}

async function fetchWithSession(): Promise<void> {
  const [opened] = await setup.sessions.open({
    job: nextJob(),
    platform: "bluesky",
    access: ["public"],
    ownership: "any",
    bucket: null,
    host: null,
  });
  await opened?.get({ path, bucket: "app.bsky.feed.getAuthorFeed" });
}

async function answerFromSource(): Promise<void> {
  const nowMs = Date.now();
  const answer = await service.context.upstreams.answer(
    {
      platform: "bluesky",
      type: "social",
      method: "gettweets",
      query: did,
      target: { kind: "user", platform: "bluesky", handle: null, id: did, host: null },
      maxResults: posts,
      fromMs: null,
      toMs: nowMs,
      asOfMs: nowMs,
      after: null,
    },
    nextJob(),
  );
  if (answer.items.length !== posts) throw new Error(`received ${answer.items.length} posts`);
}

const kinds = { "bare fetch": fetchBare, session: fetchWithSession, source: answerFromSource };

async function measure(): Promise<Record<string, number[]>> {
  const durations: Record<string, number[]> = {};
  for (const [name, send] of Object.entries(kinds)) {
    for (let round = 0; round < 20; round += 1) await send();
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) times.push(await timed(send));
    durations[name] = times;
  }
  return durations;
}

await measure();
const rows: (string | number)[][] = [];
const overheadMs: number[] = [];
const requestsBefore = upstream.requests.length;
for (let run = 1; run <= runs; run += 1) {
  const durations = await measure();
  const p50 = (name: string) => summary(durations[name] ?? []).p50;
  overheadMs.push(p50("source") - p50("bare fetch"));
  rows.push([
    `${run}`,
    p50("bare fetch"),
    p50("session"),
    p50("source"),
    p50("session") - p50("bare fetch"),
    p50("source") - p50("bare fetch"),
    p50("source") / p50("bare fetch"),
  ]);
}
const requests = upstream.requests.length - requestsBefore;
console.log(
  `${command()}: one page of ${posts} posts (${body.length} bytes), ${runs} runs of ${rounds}, p50 in ms\n`,
);
console.log(
  table(
    ["run", "bare fetch", "session", "source", "session overhead", "source overhead", "ratio"],
    rows,
  ),
);
console.log(
  `\nsource over a bare fetch, median of the runs: ${summary(overheadMs).p50.toFixed(3)} ms`,
);
console.log(`requests: ${requests} for ${runs * (rounds + 20) * 3} answers\n`);
await service.remove();
await setup.close();
await agent.close();

const limit = 20;
const windowMs = 1_000;
const limitedReply = rateLimitedReply({ limit, windowMs });
upstream.defaultReply = limitedReply;
const limitedSetup = openTestSessions(testUpstream("x"), [upstream.url]);
limitedSetup.pool.credentials = [pooledCredential("one", upstream.url)];
const ms = await timed(() =>
  Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const [opened] = await limitedSetup.sessions.open({
        job: makeUpstreamJob(`limited ${n}`),
        platform: "x",
        access: ["app"],
        ownership: "any",
        bucket: "posts",
        host: null,
      });
      await opened?.patientSession.get({ path: "/posts", bucket: "posts" });
    }),
  ),
);
console.log(
  `100 jobs at once on one credential, ${limit} requests a second allowed: ${(ms / 1_000).toFixed(2)} s, ${limitedReply.refused()} refused (429)`,
);
await limitedSetup.close();
await upstream.close();

function view(n: number): unknown {
  const digits = n.toString(6).padStart(11, "0");
  const rkey = `3l${digits.replaceAll(/./g, (digit) => String(Number(digit) + 2))}`;
  const createdAt = new Date(Date.UTC(2026, 5, 1, 0, n)).toISOString();
  const text = `Post ${n} on a quiet morning by the sea, with #waves and nothing else to tell. 🌊`;
  return {
    uri: `at://${did}/app.bsky.feed.post/${rkey}`,
    cid: "bafyreib2rxk3rw6putwo6hw7fftkeczaqt6iuzxg3bkkwyq5bvgbzyuocm",
    author: { did, handle: "alice.example.com", displayName: "Alice", labels: [] },
    record: { $type: "app.bsky.feed.post", text, createdAt, langs: ["en"] },
    replyCount: 1,
    repostCount: 2,
    likeCount: 3,
    quoteCount: 0,
    indexedAt: createdAt,
    labels: [],
  };
}
