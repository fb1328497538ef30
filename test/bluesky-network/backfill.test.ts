import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { foundPosts, matchAllQuery } from "../../testkit/archives/found-posts.ts";
import {
  makePeople,
  type Person,
  postCollection,
  profileCollection,
  write,
} from "../../testkit/bluesky-world/people.ts";
import { freePort } from "../../testkit/service/free-port.ts";
import {
  makeEnvironment,
  program,
  type ServerProcess,
  startServer,
} from "../../testkit/service/server-process.ts";
import { until } from "../../testkit/until.ts";
import {
  type JetstreamProcess,
  startJetstreamProcess,
} from "../../testkit/upstreams/jetstream-process.ts";
import { type Network, startNetwork } from "./network.ts";

/** The Bluesky PDS, PLC directory and Jetstream on this machine, and `earshot backfill` next to a running server. */
const folder = mkdtempSync(join(tmpdir(), "earshot-backfill-"));
const dataDir = join(folder, "data");
const busiestPosts = 3_000;
const startMs = Date.now();
let network: Network;
let jetstream: JetstreamProcess;
let people: Person[];
let server: ServerProcess;
let settings: Record<string, string>;

beforeAll(async () => {
  network = await startNetwork();
  people = await makePeople(network, 12);
  for (const [index, person] of people.entries()) {
    const count = index === 0 ? busiestPosts : 5 + index;
    for (let from = 0; from < count; from += 200) {
      const batchSize = Math.min(200, count - from);
      await write(
        network,
        person,
        Array.from({ length: batchSize }, (_, n) => creation(from + n, index)),
      );
    }
    const profile = { $type: profileCollection, displayName: `Person ${index}` };
    await write(network, person, [
      { kind: "create", collection: profileCollection, key: "self", record: profile },
    ]);
  }
  jetstream = await startJetstreamProcess(join(folder, "jetstream"), {
    relayUrl: network.relay,
    plcUrl: network.plc,
  });
  settings = {
    EARSHOT_PLC_URL: network.plc,
    EARSHOT_BLUESKY_APPVIEW_URL: network.pds,
    EARSHOT_BACKFILL_PRIVATE_HOSTS: network.pds,
    EARSHOT_BACKFILL_REQUESTS_PER_SECOND: "100",
    EARSHOT_JETSTREAM_URLS: `ws://127.0.0.1:${jetstream.port}/subscribe`,
    EARSHOT_NETWORK_REPLAY_URL: `http://127.0.0.1:${jetstream.port}`,
    EARSHOT_COUNT_DELAY: "1s",
    EARSHOT_COVERAGE_SLACK: "100ms",
  };
  server = await startServer(dataDir, await freePort());
});

afterAll(async () => {
  await server?.stop();
  await jetstream?.end("SIGKILL");
  await network?.close();
  rmSync(folder, { recursive: true, force: true });
});

const creation = (n: number, person: number) => ({
  kind: "create" as const,
  collection: postCollection,
  record: {
    $type: postCollection,
    text: `post ${n} of person ${person} #tag${n % 7}`,
    langs: ["en"],
    createdAt: new Date(startMs - n * 60_000).toISOString(),
  },
});

/** Sends no body, because the PDS rejects one. */
async function activate({ authorization }: Person): Promise<void> {
  const method = `${network.pds}/xrpc/com.atproto.server.activateAccount`;
  const { status } = await fetch(method, { method: "POST", headers: { authorization } });
  expect(status).toBe(200);
}

type Run = { code: number | null; out: string; notes: string };

function start(args: readonly string[], overrides: Record<string, string> = {}, data = dataDir) {
  const env = makeEnvironment(data, { ...settings, ...overrides });
  const child = spawn(process.execPath, [program, "backfill", ...args], { env });
  return { child, outcome: getOutcome(child) };
}

async function getOutcome(child: ChildProcess): Promise<Run> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("the command has no output");
  const [out, notes, [code]] = await Promise.all([text(stdout), text(stderr), once(child, "exit")]);
  return { code: code as number | null, out, notes };
}

const backfill = (...args: string[]): Promise<Run> => start(args).outcome;

const summaries = ({ out }: Run): Record<string, unknown>[] =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** The URI and text of each post, sorted by URI. */
async function repositoryPosts(person: Person): Promise<[string, string][]> {
  const posts: [string, string][] = [];
  let cursor: string | undefined;
  do {
    const page = await network.read<{
      records: { uri: string; value: { text: string } }[];
      cursor?: string;
    }>("com.atproto.repo.listRecords", {
      repo: person.did,
      collection: postCollection,
      limit: "100",
      ...(cursor === undefined ? {} : { cursor }),
    });
    posts.push(...page.records.map(({ uri, value }): [string, string] => [uri, value.text]));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return posts.sort();
}

async function foundTexts(query: string, target = server): Promise<[string, string][]> {
  const found = await foundPosts(target, query);
  return found.map(({ Metadata, Content }): [string, string] => [Metadata.uri, Content]).sort();
}

test("a backfill finds every post of every account, with the author's handle and name", async () => {
  const file = join(folder, "people.txt");
  writeFileSync(file, `${people.map(({ handle }) => handle).join("\n")} # the last one\n`);
  const run = await backfill("--authors-file", file, "--json", "--no-labels");
  expect(run).toMatchObject({ code: 0 });
  expect(summaries(run)).toHaveLength(people.length);
  for (const summary of summaries(run)) {
    expect(summary).toMatchObject({ outcome: "complete", by: "repository", status: "active" });
  }
  for (const person of people) {
    expect(await foundTexts(`from:${person.handle}`)).toEqual(await repositoryPosts(person));
  }
  const [post] = await foundPosts(server, "from:person3.test");
  expect(post?.Metadata).toMatchObject({ username: "person3.test", author: "Person 3" });
});

test("a second backfill reports each account as unchanged and adds nothing", async () => {
  const run = await backfill("--author", ...people.map(({ did }) => did), "--json", "--no-labels");
  for (const summary of summaries(run)) {
    expect(summary).toMatchObject({ outcome: "unchanged", added: 0 });
  }
});

test("edits, deletions and takedowns between backfills are applied, from repositories and listings", async () => {
  const [busiest, second, third, fourth] = people;
  if (!busiest || !second || !third || !fourth) throw new Error("no people");
  const [first, next] = busiest.posts;
  if (!first || !next) throw new Error("no posts");
  await write(network, busiest, [
    { kind: "delete", collection: postCollection, key: first.key },
    {
      ...creation(0, 0),
      kind: "update",
      key: next.key,
      record: { ...creation(0, 0).record, text: "edited" },
    },
  ]);
  await network.call("com.atproto.server.deactivateAccount", second.authorization, {});
  await network.call("com.atproto.admin.updateSubjectStatus", network.administrator, {
    subject: { $type: "com.atproto.admin.defs#repoRef", did: third.did },
    takedown: { applied: true },
  });
  const dids = [busiest, second, third, fourth].map(({ did }) => did);
  const sizeLimit = { EARSHOT_BACKFILL_MAX_REPOSITORY_BYTES: "20000" };
  const run = await start(["--author", ...dids, "--json", "--no-labels"], sizeLimit).outcome;
  expect(run).toMatchObject({ code: 0 });
  const outcomes = new Map(summaries(run).map((summary) => [summary.did, summary]));
  expect(outcomes.get(busiest.did)).toMatchObject({ by: "listing", deleted: 1 });
  expect(outcomes.get(second.did)).toMatchObject({ outcome: "inactive", status: "deactivated" });
  expect(outcomes.get(third.did)).toMatchObject({ outcome: "inactive", status: "takendown" });
  expect(outcomes.get(fourth.did)).toMatchObject({ outcome: "unchanged" });
  expect(await foundTexts(`from:${busiest.handle}`)).toEqual(await repositoryPosts(busiest));
  expect(await foundTexts(`from:${second.handle} OR from:${third.handle}`)).toEqual([]);

  await activate(second);
  await network.call("com.atproto.admin.updateSubjectStatus", network.administrator, {
    subject: { $type: "com.atproto.admin.defs#repoRef", did: third.did },
    takedown: { applied: false },
  });
  await backfill("--author", second.did, third.did, "--no-labels");
  for (const person of [second, third]) {
    expect(await foundTexts(`from:${person.handle}`)).toEqual(await repositoryPosts(person));
  }
});

test("a killed backfill continues where it stopped", async () => {
  const [busiest] = people;
  if (!busiest) throw new Error("no people");
  const otherDir = join(folder, "killed");
  const listing = {
    EARSHOT_BACKFILL_MAX_REPOSITORY_BYTES: "20000",
    EARSHOT_BACKFILL_REQUESTS_PER_SECOND: "25",
  };
  const otherServer = await startServer(otherDir, await freePort());
  try {
    const args = ["--author", busiest.did, "--json", "--no-labels"];
    const killedRun = start(args, listing, otherDir);
    await until("some pages are archived", async () =>
      (await foundTexts(matchAllQuery, otherServer)).length >= 500 ? true : null,
    );
    killedRun.child.kill("SIGKILL");
    await killedRun.outcome;
    expect((await foundTexts(matchAllQuery, otherServer)).length).toBeLessThan(busiestPosts - 1);
    const [interruptedRun] = [start(args, listing, otherDir)];
    await until("more pages are archived", async () =>
      (await foundTexts(matchAllQuery, otherServer)).length >= 1_500 ? true : null,
    );
    interruptedRun.child.kill("SIGINT");
    const { code, notes } = await interruptedRun.outcome;
    expect(code).toBe(1);
    expect(notes).toMatch(/interrupted by SIGINT/);
    const run = await start(
      args,
      { ...listing, EARSHOT_BACKFILL_REQUESTS_PER_SECOND: "100" },
      otherDir,
    ).outcome;
    const [summary] = summaries(run);
    expect(summary).toMatchObject({ resumed: true, outcome: "complete" });
    expect(Number(summary?.posts)).toBeLessThan(busiestPosts - 1_000);
    expect(await foundTexts(matchAllQuery, otherServer)).toEqual(await repositoryPosts(busiest));
  } finally {
    await otherServer.stop();
  }
});

test("a replay imports what the real Jetstream recorded, and a later replay imports newer posts", async () => {
  const otherDir = join(folder, "replayed");
  const [, , , , fifth] = people;
  if (!fifth) throw new Error("no people");
  const from = new Date(startMs - 60_000).toISOString();
  const to = new Date().toISOString();
  const replaySettings = { EARSHOT_BACKFILL_STREAM_LOOKBACK: "0ms" };
  const replay = await start(["--replay", `${from}..${to}`, "--json"], replaySettings, otherDir)
    .outcome;
  const [summary] = summaries(replay);
  // On a quiet network, no event proves these spans complete.
  const computeCode = (missing: unknown): number =>
    Array.isArray(missing) && missing.length > 0 ? 1 : 0;
  expect(replay).toMatchObject({ code: computeCode(summary?.missing) });
  expect(summary).toMatchObject({ bad_events: 0 });
  expect(Number(summary?.added)).toBeGreaterThanOrEqual(busiestPosts);

  await write(network, fifth, [creation(900, 4)]);
  const uri = fifth.posts.at(-1)?.uri;
  const otherServer = await startServer(otherDir, await freePort());
  try {
    await until("the stream delivers later posts", async () => {
      const end = new Date().toISOString();
      const run = await start(["--replay", `${from}..${end}`, "--json"], {}, otherDir).outcome;
      expect(run).toMatchObject({ code: computeCode(summaries(run)[0]?.missing) });
      const found = await foundTexts(`from:${fifth.did}`, otherServer);
      return found.some(([stored]) => stored === uri) || null;
    });
    for (const person of people) {
      expect(await foundTexts(`from:${person.did}`, otherServer)).toEqual(
        await repositoryPosts(person),
      );
    }
  } finally {
    await otherServer.stop();
  }
});
