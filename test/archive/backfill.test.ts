import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lockFolder } from "../../src/db/folder-lock.ts";
import { runCommand } from "../../testkit/service/run-command.ts";
import {
  type AccountHost,
  postPath,
  startAccountHost,
} from "../../testkit/upstreams/account-host.ts";
import {
  type JetstreamServer,
  startJetstreamServer,
} from "../../testkit/upstreams/jetstream-server.ts";

/** `earshot backfill` against emulators; test/bluesky-network uses the real software. */
const folder = mkdtempSync(join(tmpdir(), "earshot-backfill-"));
const ann = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa";
const bob = "did:plc:bbbbbbbbbbbbbbbbbbbbbbbb";
let host: AccountHost;
let stream: JetstreamServer;
let environment: Record<string, string>;

beforeAll(async () => {
  host = await startAccountHost();
  stream = await startJetstreamServer();
  environment = {
    EARSHOT_DATA_DIR: join(folder, "data"),
    EARSHOT_PLC_URL: host.url,
    EARSHOT_BLUESKY_APPVIEW_URL: host.url,
    EARSHOT_BACKFILL_PRIVATE_HOSTS: host.url,
    EARSHOT_BACKFILL_REQUESTS_PER_SECOND: "1000",
    EARSHOT_LABELER_URLS: `${host.url.replace("http:", "ws:")}/xrpc/com.atproto.label.subscribeLabels`,
    EARSHOT_LABELER_SOURCES: bob,
    EARSHOT_JETSTREAM_URLS: stream.url,
  };
  const record = (text: string) => ({
    $type: "app.bsky.feed.post",
    text,
    createdAt: "2026-01-01T00:00:00Z",
  });
  const records = new Map<string, unknown>([
    [postPath("3kaaaaaaaaaa2"), record("an aurora over the fjord")],
    [postPath("3kaaaaaaaaaa3"), "not a record"],
  ]);
  const rest = { handle: "ann.example", rev: "3kaaaaaaaaaaa", pds: null };
  host.accounts.set(ann, { did: ann, records, status: "active", ...rest });
  const cts = "2026-01-02T00:00:00.000Z";
  host.labels.push({ src: bob, uri: `at://${ann}/${postPath("3kaaaaaaaaaa2")}`, val: "sky", cts });
});

afterAll(async () => {
  await host.close();
  await stream.close();
  rmSync(folder, { recursive: true, force: true });
});

const earshot = (...args: string[]) => runCommand(args, environment);

describe("accounts", () => {
  test("accounts are backfilled where possible, and errors of the others are printed", async () => {
    const { code, out, notes } = await earshot("backfill", "--author", "@ann.example", bob);
    expect(code).toBe(1);
    expect(out).toMatch(
      /^ann\.example \(did:plc:a{24}\): 1 post, 1 added, 0 updated, 0 deleted in [\d.]+ s, 1 label; 1 invalid record$/m,
    );
    expect(out).toMatch(/^did:plc:b{24}: .* is not in its directory – check the spelling/m);
    expect(notes).toMatch(/^earshot: 1 of 2 accounts failed – run the command again/m);
    const found = await earshot("search", "from:ann.example aurora label:sky", "--ndjson");
    expect(JSON.parse(found.out)).toMatchObject({ Metadata: { origin: "backfill" } });
  });

  test("accounts without changes are not read again unless forced", async () => {
    const file = join(folder, "people.txt");
    writeFileSync(file, "# people\n\n@ann.example # the first one\nann.example\n");
    const again = await earshot("backfill", "--authors-file", file);
    expect(again).toMatchObject({ code: 0 });
    expect(again.out).toMatch(/^ann\.example \(.*\): unchanged since the last backfill in/);
    const read = await earshot("backfill", "--authors-file", file, "--again", "--json");
    expect(JSON.parse(read.out)).toMatchObject({
      author: "ann.example",
      did: ann,
      outcome: "complete",
      by: "repository",
      posts: 1,
      added: 0,
      unchanged: 1,
      bad_records: 1,
      labels: 1,
    });
  });

  test("a backfill of accounts without labels sends no request to the labeler", async () => {
    host.requests.length = 0;
    await earshot("backfill", "--author", "ann.example", "--again", "--no-labels");
    expect(host.requests.filter((requested) => requested.includes("queryLabels"))).toEqual([]);
  });
});

describe("a time span", () => {
  test("a time span is replayed, and what remains missing is printed", async () => {
    const atMs = Date.now() - 3_600_000;
    const commit = (offsetMs: number, rkey: string) => ({
      did: ann,
      time_us: (atMs + offsetMs) * 1_000,
      kind: "commit",
      commit: {
        rev: "3kbbbbbbbbbbb",
        operation: "create",
        collection: "app.bsky.feed.post",
        rkey,
        record: { $type: "app.bsky.feed.post", text: `replayed ${rkey}`, createdAt: "2026-01-01" },
      },
    });
    for (const each of [commit(500, "first"), commit(600, "second"), commit(9_000, "behind")]) {
      stream.publish(each);
    }
    const span = `${new Date(atMs).toISOString()}..${new Date(atMs + 1_000).toISOString()}`;
    const { code, out, notes } = await earshot("backfill", "--replay", span);
    expect(code).toBe(1);
    expect(notes).toMatch(/500ms of the requested time is still missing/);
    expect(notes).toMatch(/from Jetstream$/m);
    expect(out).toMatch(
      /^2 events replayed in [\d.]+ s: 2 posts \(2 added\), 0 deletes, 0 reactions$/m,
    );
    expect(out).toMatch(/^ {2}still missing: .*\(500ms\)$/m);
    const again = await earshot("backfill", "--replay", span, "--json");
    expect(JSON.parse(again.out)).toMatchObject({ events: 0, held_before_seconds: 0.5 });
  });

  test("a time span that is only in the network's archive requires a token", async () => {
    const { code, notes } = await earshot("backfill", "--replay", "2026-01-01..2026-01-02");
    expect(code).toBe(1);
    expect(notes).toMatch(/the network archive requires a token – .*EARSHOT_NETWORK_REPLAY_TOKEN/);
  });

  test("a time span is replayed by one command at a time", async () => {
    const lock = lockFolder(join(folder, "data", "replay"));
    const { code, notes } = await earshot("backfill", "--replay", "gaps");
    lock.release();
    expect(code).toBe(1);
    expect(notes).toMatch(/another replay is running on this data folder – wait for it to finish/);
  });

  test("a time span without gaps is finished immediately", async () => {
    const empty = { ...environment, EARSHOT_DATA_DIR: join(folder, "empty") };
    const { code, out } = await runCommand(["backfill", "--replay", "gaps"], empty);
    expect({ code, out }).toEqual({ code: 0, out: "nothing is missing\n" });
  });
});

test.each([
  [[], "accounts or a time range is required"],
  [["--author", "ann.example", "--replay", "gaps"], "--replay conflicts with authors"],
  [["--replay", "yesterday"], "It must be FROM..TO"],
  [["--replay", "2999-01-01..2999-01-02"], "--replay starts in the future"],
  [["--author"], "argument missing"],
])("earshot backfill %j is a usage error", async (args, message) => {
  const { code, notes } = await earshot("backfill", ...args);
  expect(code).toBe(2);
  expect(notes).toContain(message);
});
