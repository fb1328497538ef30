import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { zipArchive } from "../../testkit/archives/zip-archive.ts";
import { freePort } from "../../testkit/service/free-port.ts";
import { connect } from "../../testkit/service/http-client.ts";
import { makeEnvironment, program, startServer } from "../../testkit/service/server-process.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-slow-import-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const posts = 40_000;
/** Kills happen around segment boundaries. */
const settings = { EARSHOT_SEGMENT_POSTS: "8000", EARSHOT_SEAL_POSTS: "2000" };

function writePosts(): string {
  const words = ["river", "stone", "harbour", "night", "東京", "привет", "snow"];
  const lines = Array.from({ length: posts }, (_, n) => {
    const ms = Date.UTC(2024, 0, 1) + n * 61_000;
    const id = n % 3 === 0 ? {} : { id: String((BigInt(ms - 1288834974657) << 22n) + BigInt(n)) };
    return JSON.stringify({
      ...id,
      author: `author${n % 50}`,
      created_at: new Date(ms).toISOString(),
      text: `${words[n % 7]} ${words[(n >> 3) % 7]} number ${n}`,
    });
  });
  const file = join(folder, "posts.ndjson");
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

async function importFile(
  file: string,
  dataDir: string,
  killAfterMs: number | null,
  format = "ndjson",
): Promise<number | null> {
  const args = ["import", file, "--platform", "x", "--format", format];
  const child = spawn(process.execPath, [program, ...args], {
    env: makeEnvironment(dataDir, settings),
    stdio: "ignore",
  });
  const timer = killAfterMs === null ? null : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const [code] = (await once(child, "exit")) as [number | null];
  if (timer !== null) clearTimeout(timer);
  return code;
}

/** Posts found per query, newest first. IDs are omitted, because they differ between archives. */
async function answers(dataDir: string): Promise<string[][]> {
  const server = await startServer(dataDir, await freePort(), settings);
  const client = connect(server.base, server.key);
  const found: string[][] = [];
  for (const query of [
    "river",
    "東京 -stone",
    "from:author7",
    "night since:2024-01-10 until:2024-01-12",
    '"number 39999"',
  ]) {
    const text = await client.result(await client.submit(query, 500));
    const records = JSON.parse(text) as { Content: string; Metadata: { uri: string } }[];
    found.push(records.map((record) => `${record.Metadata.uri} ${record.Content}`));
  }
  client.close();
  await server.stop();
  return found;
}

test("a repeatedly killed import produces the archive of an undisturbed one", async () => {
  const file = writePosts();
  const undisturbed = join(folder, "undisturbed");
  expect(await importFile(file, undisturbed, null)).toBe(0);

  const killed = join(folder, "killed");
  let kills = 0;
  for (let afterMs = 350; (await importFile(file, killed, afterMs)) !== 0; afterMs *= 1.15)
    kills += 1;
  expect(kills).toBeGreaterThan(3);

  const [expected, found] = [await answers(undisturbed), await answers(killed)];
  expect(found.map((posts) => posts.length)).toEqual(expected.map((posts) => posts.length));
  expect(found.map((posts) => new Set(posts).size)).toEqual(found.map((posts) => posts.length));
  expect(found).toEqual(expected);
});

test("two concurrent imports of one file store every post once", async () => {
  const file = join(folder, "posts.ndjson");
  const both = join(folder, "both");
  expect(await Promise.all([importFile(file, both, null), importFile(file, both, null)])).toEqual([
    0, 0,
  ]);
  expect(await answers(both)).toEqual(await answers(join(folder, "undisturbed")));
});

function writeXArchive(): string {
  const tweets = readFileSync(writePosts(), "utf8")
    .split("\n", 15_000)
    .map((line) => JSON.parse(line))
    .filter(({ id }) => id !== undefined)
    .map(({ id, created_at, text }) => {
      const [, day, month, year, time] =
        /, (..) (...) (....) (.{8})/.exec(new Date(created_at).toUTCString()) ?? [];
      const written = `Mon ${month} ${day} ${time} +0000 ${year}`;
      return { tweet: { id_str: id, created_at: written, full_text: text } };
    });
  const account = [{ account: { username: "author7", accountId: "7" } }];
  const content = (name: string, list: unknown) =>
    Buffer.from(`window.YTD.${name}.part0 = ${JSON.stringify(list, null, 1)}`);
  const file = join(folder, "x.zip");
  const files = [
    { name: "data/account.js", content: content("account", account) },
    { name: "data/tweets.js", content: content("tweets", tweets) },
  ];
  writeFileSync(file, zipArchive(files));
  return file;
}

test("a repeatedly killed import of an X archive produces the archive of an undisturbed one", async () => {
  const file = writeXArchive();
  const undisturbed = join(folder, "x-undisturbed");
  expect(await importFile(file, undisturbed, null, "x-archive")).toBe(0);

  const killed = join(folder, "x-killed");
  let kills = 0;
  for (
    let afterMs = 300;
    (await importFile(file, killed, afterMs, "x-archive")) !== 0;
    afterMs *= 1.15
  )
    kills += 1;
  expect(kills).toBeGreaterThan(3);

  const [expected, found] = [await answers(undisturbed), await answers(killed)];
  expect(found[0]?.length).toBeGreaterThan(100);
  expect(found).toEqual(expected);
});
