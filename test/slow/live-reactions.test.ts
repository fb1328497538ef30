import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { freePort } from "../../testkit/service/free-port.ts";
import { makeEnvironment, program, startServer } from "../../testkit/service/server-process.ts";
import { until } from "../../testkit/until.ts";
import {
  type StreamEvent,
  startJetstreamServer,
} from "../../testkit/upstreams/jetstream-server.ts";
import { startLabelerServer } from "../../testkit/upstreams/labeler-server.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-slow-reactions-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const labelSource = "did:plc:ar7c4by46qjdydhdevvrndac";
const stepUs = 20_000;
const makeDid = (n: number) => `did:plc:author${n}`;
const makeUri = (n: number) => `at://${makeDid(n)}/app.bsky.feed.post/key${n}`;

type Reactions = { likes: number; replies: number; labels: readonly string[] };

/** Counts by URI, found while the server is running. */
function foundReactions(dataDir: string): Map<string, Reactions> {
  const run = spawnSync(
    process.execPath,
    [program, "search", "harbour", "--max-results", "500", "--ndjson"],
    { env: makeEnvironment(dataDir, {}), encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  const lines = run.stdout.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const { uri, labels, public_metrics: counts } = JSON.parse(line).Metadata;
      return [uri, { likes: counts.like_count, replies: counts.reply_count, labels }];
    }),
  );
}

test("likes, replies, labels and account states arrive even if the server is killed and disconnected", async () => {
  const jetstream = await startJetstreamServer();
  const labeler = await startLabelerServer();
  const dataDir = join(folder, "data");
  const settings = {
    EARSHOT_INGEST: "bluesky",
    EARSHOT_JETSTREAM_URLS: jetstream.url,
    EARSHOT_LABELER_URLS: labeler.url,
    EARSHOT_LOOKUP: "off",
    EARSHOT_INGEST_LEAST_BACKOFF: "20ms",
    EARSHOT_INGEST_MOST_BACKOFF: "100ms",
    EARSHOT_INGEST_LOOKBACK: "1d",
    EARSHOT_COUNT_DELAY: "1s",
  };
  const start = async () => await startServer(dataDir, await freePort(), settings);
  let server = await start();
  let step = 0;
  const startUs = Date.now() * 1000 - 3_600_000_000;
  const publish = (did: string, kind: string, body: object): void => {
    step += 1;
    const event: StreamEvent = { did, time_us: startUs + step * stepUs, kind, [kind]: body };
    jetstream.publish(event);
  };
  const create = (did: string, collection: string, rkey: string, record: object): void =>
    publish(did, "commit", {
      rev: String(step).padStart(13, "2"),
      operation: "create",
      collection,
      rkey,
      record,
    });
  const labelPost = (n: number, val: string, neg = false): void =>
    labeler.publish({ src: labelSource, uri: makeUri(n), val, neg, cts: new Date().toISOString() });

  const untilConnected = async (): Promise<void> => {
    const open = () => jetstream.openConnections() * labeler.openConnections() || null;
    await until("both are connected", open).catch(async (error: Error) => {
      const ready = await fetch(`${server.base}/readyz`).then(
        (response) => response.text(),
        String,
      );
      const counts = `jetstream ${jetstream.openConnections()}, labeler ${labeler.openConnections()}`;
      throw new Error(`${error.message}: ${counts}\n${ready}\n${server.lastLines()}`);
    });
  };

  const likes = new Map<string, number>();
  for (let n = 0; n < 20; n += 1) {
    const createdAt = new Date(startUs / 1000 + n).toISOString();
    const parent = n > 10 ? { parent: { uri: makeUri(5) }, root: { uri: makeUri(5) } } : null;
    const record = {
      text: `harbour ${n}`,
      createdAt,
      ...(parent === null ? {} : { reply: parent }),
    };
    create(makeDid(n), "app.bsky.feed.post", `key${n}`, record);
  }
  // A labeler has no checkpoint before its first frame.
  await until("the labeler is connected", () => labeler.openConnections() > 0 || null);
  labelPost(10, "porn");
  await until("the first label is archived", () =>
    foundReactions(dataDir).get(makeUri(10))?.labels.includes("porn") ? true : null,
  );
  for (let n = 0; n < 1_000; n += 1) {
    const uri = makeUri(n % 7);
    likes.set(uri, (likes.get(uri) ?? 0) + 1);
    create(`did:plc:fan${n}`, "app.bsky.feed.like", `like${n}`, { subject: { uri, cid: "b" } });
    if (n % 100 === 50) {
      await until("a connection to cut", () => jetstream.openConnections() > 0 || null);
      if (n % 200 === 50) jetstream.cut();
      else jetstream.cutInFrame();
      labeler.cut();
    }
    if (n % 100 === 99) await untilConnected();
    if (n % 250 === 249) {
      labelPost(Math.floor(n / 250), "!takedown");
      labelPost(11 + Math.floor(n / 250), "porn");
      server.child.kill("SIGKILL");
      server = await start();
      await untilConnected();
    }
  }
  labelPost(1, "!takedown", true);
  publish(makeDid(8), "account", { active: false, status: "deactivated" });
  publish(makeDid(9), "account", { active: false, status: "deactivated" });
  publish(makeDid(9), "account", { active: true });

  const hidden = [0, 2, 3, 8].map(makeUri);
  const shown = Array.from({ length: 20 }, (_unused, n) => makeUri(n)).filter(
    (uri) => !hidden.includes(uri),
  );
  const isDone = (posts: Map<string, Reactions>): boolean =>
    posts.size === shown.length &&
    shown.every((uri) => (posts.get(uri)?.likes ?? 0) >= (likes.get(uri) ?? 0));
  const posts = await until(
    "everything has arrived",
    () => {
      const now = foundReactions(dataDir);
      return isDone(now) ? now : null;
    },
    60_000,
  ).catch(() => foundReactions(dataDir));
  expect([...posts.keys()].toSorted()).toEqual(shown.toSorted());
  for (const uri of shown) {
    const count = posts.get(uri)?.likes ?? 0;
    expect(count, uri).toBeGreaterThanOrEqual(likes.get(uri) ?? 0);
    // Each kill repeats up to one second of likes.
    expect(count, uri).toBeLessThanOrEqual((likes.get(uri) ?? 0) + 4 * 9);
  }
  const { replies = 0 } = posts.get(makeUri(5)) ?? {};
  expect(replies).toBeGreaterThanOrEqual(9);
  expect(replies).toBeLessThanOrEqual(18);
  for (const n of [10, 11, 12, 13, 14]) expect(posts.get(makeUri(n))?.labels).toEqual(["porn"]);
  await server.stop();
  await jetstream.close();
  await labeler.close();
}, 180_000);
