import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { freePort } from "../../testkit/service/free-port.ts";
import {
  makeEnvironment,
  program,
  type ServerProcess,
  startServer,
} from "../../testkit/service/server-process.ts";
import { until } from "../../testkit/until.ts";
import {
  type JetstreamServer,
  type StreamEvent,
  startJetstreamServer,
} from "../../testkit/upstreams/jetstream-server.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-slow-stream-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const realEvents = join(import.meta.dirname, "../../../shared/data/posts/jetstream_v1_2026.jsonl");
const collection = "app.bsky.feed.post";

const makeSettings = (jetstream: JetstreamServer) => ({
  EARSHOT_INGEST: "bluesky",
  EARSHOT_JETSTREAM_URLS: jetstream.url,
  EARSHOT_LABELER_URLS: "none",
  EARSHOT_LOOKUP: "off",
  EARSHOT_INGEST_LEAST_BACKOFF: "20ms",
  EARSHOT_INGEST_MOST_BACKOFF: "100ms",
  EARSHOT_INGEST_LOOKBACK: "40000d",
  EARSHOT_SEGMENT_POSTS: "100",
});

/** Uses `earshot search` while the server is running. */
function archivedPosts(dataDir: string, word: string): Map<string, string> {
  const run = spawnSync(
    process.execPath,
    [program, "search", word, "--max-results", "500", "--ndjson"],
    {
      env: makeEnvironment(dataDir, {}),
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  const records = run.stdout.split("\n").filter((line) => line !== "");
  const posts = records.map(
    (line) => JSON.parse(line) as { Content: string; Metadata: { uri: string } },
  );
  expect(new Set(posts.map((post) => post.Metadata.uri)).size).toBe(posts.length);
  return new Map(posts.map((post) => [post.Metadata.uri, post.Content]));
}

async function ingestState(
  server: ServerProcess,
): Promise<{ status: string; lastMs: number | null }> {
  const answer = (await (await fetch(`${server.base}/readyz`)).json()) as Record<string, unknown>;
  return { status: String(answer.ingest_status), lastMs: answer.ingest_lag_ms as number | null };
}

function generatedStream(count: number): { stream: StreamEvent[]; expected: Map<string, string> } {
  const stream: StreamEvent[] = [];
  const expected = new Map<string, string>();
  const start = Date.now() * 1_000 - count * 1_000;
  for (let n = 0; n < count; n++) {
    const target = n % 5 === 3 ? n - 3 : n % 7 === 6 ? n - 6 : n;
    const did = `did:plc:author${target % 11}`;
    const rkey = `key${target}`;
    const uri = `at://${did}/${collection}/${rkey}`;
    const text = `harbour post ${target} version ${n}`;
    const operation = target === n ? "create" : n % 5 === 3 ? "update" : "delete";
    const commit = { rev: String(n).padStart(13, "2"), operation, collection, rkey };
    const record = {
      $type: collection,
      createdAt: new Date(start / 1_000 + target).toISOString(),
      text,
    };
    stream.push({
      did,
      time_us: start + n * 1_000,
      kind: "commit",
      commit: operation === "delete" ? commit : { ...commit, record, cid: `cid${n}` },
    });
    if (operation === "delete") expected.delete(uri);
    else expected.set(uri, text);
  }
  return { stream, expected };
}

describe("a stream that is cut and a server that is killed, repeatedly", () => {
  test("exactly the posts of the stream are stored, once and in their last version, despite repeated cuts and kills", async () => {
    const jetstream = await startJetstreamServer();
    const { stream, expected } = generatedStream(480);
    const dataDir = join(folder, "generated");
    let server = await startServer(dataDir, await freePort(), makeSettings(jetstream));
    for (const [n, event] of stream.entries()) {
      jetstream.publish(event);
      if (n % 37 === 36) {
        await until("a connection to cut", () => jetstream.openConnections() > 0 || null);
        jetstream.cut();
      }
      if (n % 120 === 119) {
        server.child.kill("SIGKILL");
        server = await startServer(dataDir, await freePort(), makeSettings(jetstream));
      }
    }
    await until("all posts are archived", () =>
      sameMaps(archivedPosts(dataDir, "harbour"), expected) ? true : null,
    );
    expect(jetstream.connections()).toBeGreaterThan(12);
    await server.stop();
    await jetstream.close();
    expect(archivedPosts(dataDir, "harbour")).toEqual(expected);
  });

  test.skipIf(!existsSync(realEvents))(
    `real events of Jetstream arrive once (needs ${realEvents})`,
    async () => {
      const jetstream = await startJetstreamServer();
      const lines = readFileSync(realEvents, "utf8").trim().split("\n");
      const real = lines.map((line) => JSON.parse(line) as StreamEvent);
      const dataDir = join(folder, "real");
      let server = await startServer(dataDir, await freePort(), makeSettings(jetstream));
      for (const [n, event] of real.entries()) {
        jetstream.publish(event);
        if (n % 20 === 19) jetstream.cut();
        if (n === 75) {
          server.child.kill("SIGKILL");
          server = await startServer(dataDir, await freePort(), makeSettings(jetstream));
        }
      }
      const everything = await until("17 posts are archived", () => {
        const posts = archivedPosts(dataDir, "-zzzz");
        return posts.size >= 17 ? posts : null;
      });
      expect(everything.size).toBe(17);
      await server.stop();
      await jetstream.close();
    },
  );
});

test("a server without a network responds, and reports what it is waiting for", async () => {
  const port = await freePort();
  const server = await startServer(join(folder, "alone"), await freePort(), {
    EARSHOT_INGEST: "bluesky",
    EARSHOT_JETSTREAM_URLS: `ws://127.0.0.1:${port}/subscribe`,
    EARSHOT_LABELER_URLS: `ws://127.0.0.1:${port}/labels`,
    EARSHOT_BLUESKY_APPVIEW_URL: `http://127.0.0.1:${port}`,
  });
  expect(await ingestState(server)).toMatchObject({ status: "waiting" });
  const answer = (await (await fetch(`${server.base}/readyz`)).json()) as { ingest: string };
  expect(answer.ingest).toMatch(/^waiting for 127\.0\.0\.1/);
  await server.stop();
});

function sameMaps(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}
