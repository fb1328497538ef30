import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { foundPosts, matchAllQuery } from "../../testkit/archives/found-posts.ts";
import { mountStreams } from "../../testkit/emulators/mastodon/mounted-streams.ts";
import { startMastodonEmulator } from "../../testkit/emulators/mastodon/server.ts";
import { freePort } from "../../testkit/service/free-port.ts";
import { makeEnvironment, program, startServer } from "../../testkit/service/server-process.ts";
import { until } from "../../testkit/until.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-slow-mastodon-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function earshot(
  settings: Record<string, string>,
  args: readonly string[],
  input = "",
): Promise<{ code: number | null; out: string }> {
  const child = spawn(process.execPath, [program, ...args], {
    env: makeEnvironment(folder, settings),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  child.stdin.end(input);
  let out = "";
  for await (const piece of child.stdout.setEncoding("utf8")) out += String(piece);
  await ended;
  return { code: child.exitCode, out };
}

test("a server killed during a flood of statuses stores the public ones from before, during and after the kill, and no unlisted, non-indexable or deleted one", async () => {
  const emulator = await startMastodonEmulator({
    hasSearch: false,
    rateLimit: { requests: 100_000, pagingRequests: 100_000, windowMs: 300_000 },
  });
  const streams = mountStreams(emulator);
  const { network } = emulator;
  const settings = {
    EARSHOT_MASTODON_STREAM: emulator.url,
    EARSHOT_MASTODON_STREAM_LEAST_BACKOFF: "20ms",
    EARSHOT_MASTODON_STREAM_MOST_BACKOFF: "100ms",
    EARSHOT_MASTODON_STREAM_REQUESTS_PER_MINUTE: "100000",
    EARSHOT_SEGMENT_POSTS: "300",
    EARSHOT_UPSTREAM_DISPATCHES_PER_SECOND: "1000",
  };
  const accounts = Array.from({ length: 30 }, (_, n) =>
    network.addAccount({
      username: `someone${n}`,
      domain: n % 2 === 0 ? "other.example" : null,
      indexable: n % 3 !== 0,
    }),
  );
  const { token } = emulator.addToken({ accountId: accounts[0]?.id ?? "", scopes: ["read"] });
  const add = ["credentials", "add", "mastodon", "user-token", "--host", emulator.url];
  expect(await earshot(settings, [...add, "--secrets", "-"], `token=${token}\n`)).toMatchObject({
    code: 0,
  });

  type AddedStatus = { id: string; isPublic: boolean; text: string };
  let added = 0;
  const addStatuses = (count: number): AddedStatus[] =>
    Array.from({ length: count }, () => {
      added += 1;
      const account = accounts[added % accounts.length];
      const visibility = added % 7 === 0 ? "unlisted" : "public";
      const text = `river number ${added}`;
      const { id } = network.addStatus({ accountId: account?.id ?? "", text, visibility });
      const isPublic = account?.indexable === true && visibility === "public";
      return { id, isPublic, text };
    });
  const connectedTo = async (base: string): Promise<void> => {
    await until("the stream to be connected", async () => {
      const answer = (await (await fetch(`${base}/readyz`)).json()) as Record<string, unknown>;
      return answer.mastodon_status === "connected" ? true : null;
    });
  };

  const port = await freePort();
  let server = await startServer(folder, port, settings);
  await connectedTo(server.base);
  const before = addStatuses(1_500);
  await until("the public statuses to be archived", async () => {
    const expected = before.filter(({ isPublic }) => isPublic).length;
    return (await foundPosts(server, matchAllQuery)).length === expected ? true : null;
  });
  // The kill may lose some of these.
  const uncertain = addStatuses(500);
  server.child.kill("SIGKILL");
  await once(server.child, "exit");
  await until("the connection to close", () => (streams.connectionCount() === 0 ? true : null));
  const missed = addStatuses(100);

  server = await startServer(folder, port, settings);
  await connectedTo(server.base);
  const after = addStatuses(1_000);
  const removed = [...before, ...after].filter((_, index) => index % 5 === 0);
  for (const { id } of removed) network.deleteStatus(id);
  const edited = before.find((status) => status.isPublic && !removed.includes(status));
  network.editStatus(edited?.id ?? "", { text: "an estuary" });
  const last = addStatuses(accounts.length).findLast(({ isPublic }) => isPublic);

  const mayBeFound = (status: AddedStatus): boolean => status.isPublic && !removed.includes(status);
  const awaited = [...uncertain, ...missed, ...(last === undefined ? [] : [last])];
  const found = await until("the missed statuses and the last one to be archived", async () => {
    const posts = await foundPosts(server, matchAllQuery);
    const stored = new Set(posts.map(({ Content }) => Content));
    return awaited.filter(mayBeFound).every(({ text }) => stored.has(text)) ? posts : null;
  });
  const texts = new Set(found.map(({ Content }) => Content));
  expect(new Set(found.map(({ Metadata }) => Metadata.uri)).size).toBe(found.length);
  const certain = [...before, ...after].filter((status) => mayBeFound(status) && status !== edited);
  expect(certain.filter(({ text }) => !texts.has(text))).toEqual([]);
  expect(texts.has("an estuary")).toBe(true);
  const never = [...before, ...uncertain, ...missed, ...after].filter(
    (status) => !mayBeFound(status),
  );
  expect(never.filter(({ text }) => texts.has(text))).toEqual([]);

  await server.stop();
  const stats = JSON.parse((await earshot(settings, ["archive", "stats", "--json"])).out) as {
    intervals: { source: string; from: string; to: string }[];
    coverage: { platform: string }[];
  };
  const streamIntervals = stats.intervals.filter(
    ({ source }) => source === `mastodon-stream:${emulator.host}`,
  );
  expect(streamIntervals).toHaveLength(2);
  expect(stats.coverage.filter(({ platform }) => platform === "mastodon")).toEqual([]);
  expect((await earshot(settings, ["archive", "check"])).code).toBe(0);
  streams.close();
  await emulator.close();
}, 60_000);
