import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../../src/cli/main.ts";
import type { Input } from "../../src/cli/terminal/terminal.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import { runCommand } from "../../testkit/service/run-command.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

let service: ServiceUnderTest;
let url: string;
let key: string;
const home = mkdtempSync(join(tmpdir(), "earshot-home-"));
const loginFile = join(home, "earshot", "login.json");

const hourMs = 3_600_000;

beforeAll(async () => {
  service = await startServiceUnderTest();
  url = new URL(service.url).href;
  key = await service.makeKey();
  const nowMs = service.clock.now();
  await service.addPosts(
    [1, 2, 2, 30].map((hours, n) => {
      const createdMs = nowMs - hours * hourMs;
      const createdAt = new Date(createdMs).toISOString();
      return makePost({ key: `p${n}`, createdMs, createdAt, text: `=comet number${n}` });
    }),
  );
});

afterAll(async () => {
  await service.remove();
  rmSync(home, { recursive: true });
});

const piped = (text: string) => (): Input => ({
  interactive: false,
  ask: async () => "",
  askSecret: async () => "",
  readAll: async () => text,
});

const earshot = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runCommand(args, { XDG_CONFIG_HOME: home, ...environment });

const withKey = (...args: string[]) => earshot([...args, "--url", url], { EARSHOT_API_KEY: key });

describe("search on a service", () => {
  test("a search on a service prints posts, their count and the coverage", async () => {
    const { code, out, notes } = await withKey("search", "comet", "--max-results", "2");
    expect(notes).toContain("2 posts; more match: raise --max-results, up to 500. There may be");
    expect(code).toBe(0);
    expect(out).toContain("=comet number0");
    expect(out).not.toContain("number3");
  });

  test("a search on a service prints the formats of the API", async () => {
    const json = JSON.parse((await withKey("search", "number1", "--json")).out);
    expect(json).toMatchObject({ status: "done", complete: false, canonical_query: "number1" });
    expect(json.results).toHaveLength(1);

    const lines = (await withKey("search", "comet", "--ndjson")).out.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).Content)).toContain("=comet number3");

    const csv = (await withKey("search", "number2", "--csv")).out;
    expect(csv).toMatch(/^ID,Metadata\.created_at,/);
    expect(csv).toContain("'=comet number2");

    const markdown = (await withKey("search", "number2", "--markdown")).out;
    expect(markdown).toMatch(/^# Search: `number2`\n\n1 post\. /);
    expect(markdown).toContain("Full records: the result of job");
  });

  test("a search on a service marks errors in the query and exits with 2", async () => {
    const { code, notes, out } = await withKey("search", "since:2026-02-30");
    expect(notes).toContain("error[invalid_date]");
    expect(code).toBe(2);
    expect(out).toBe("");
  });

  test("a search on a service reports a rejected key and exits with 1", async () => {
    const { code, notes } = await earshot(["search", "comet", "--url", url], {
      EARSHOT_API_KEY: `${key.slice(0, -4)}AAAA`,
    });
    expect(code).toBe(1);
    expect(notes).toMatch(/^earshot: .*key/);
  });

  test("a search on a service reports an unreachable service in one line", async () => {
    const { code, notes } = await earshot(["search", "comet", "--url", "http://127.0.0.1:9"], {
      EARSHOT_API_KEY: key,
    });
    expect(code).toBe(1);
    expect(notes.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("counts on a service", () => {
  test("counts on a service list every bucket of the last 7 days and print the total", async () => {
    const { code, out, notes } = await withKey("counts", "comet", "--by", "day");
    expect(code, notes).toBe(0);
    const counts = out.trimEnd().split("\n");
    expect(counts).toHaveLength(8);
    const total = counts.reduce((sum, line) => sum + Number(/ (\d+)\??$/.exec(line)?.[1] ?? 0), 0);
    expect(total).toBe(4);
    expect(notes).toMatch(/^4 posts; peak/);
  });

  test("counts on a service join the pages of a long window", async () => {
    const since = new Date(service.clock.now() - 60 * 24 * hourMs).toISOString();
    const { code, out, notes } = await withKey(
      ...["counts", "comet", "--by", "minute", "--since", since, "--json"],
    );
    expect(code, notes).toBe(0);
    const { data, meta, complete, coverage } = JSON.parse(out);
    expect(data.length).toBeGreaterThan(60 * 24 * 59);
    expect(data[0].start).toBe(since);
    for (let n = 1; n < data.length; n += 1) expect(data[n].start).toBe(data[n - 1].end);
    expect(meta.total_tweet_count).toBe(4);
    expect(complete).toBe(false);
    expect(coverage.gaps).toHaveLength(1);
    expect(coverage.from).toBe(since);
  });
});

describe("login", () => {
  test("earshot login verifies the key, stores it where only its user can read it, and later commands use it", async () => {
    const wrong = await runCommand(
      ["login", url],
      { XDG_CONFIG_HOME: home },
      piped(`${key.slice(0, -4)}AAAA`),
    );
    expect(wrong.code).toBe(1);
    expect(() => statSync(loginFile)).toThrow();

    const right = await runCommand(["login", url], { XDG_CONFIG_HOME: home }, piped(`${key}\n`));
    expect(right.notes).toBe("");
    expect(right.out).toContain(url);
    expect(right.out).not.toContain(key);
    expect(statSync(loginFile).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(loginFile, "utf8"))).toEqual({ url, key });

    expect((await earshot(["search", "number1"])).out).toContain("=comet number1");
    expect((await earshot(["search", "number1", "--url", url])).out).toContain("number1");
    const local = await earshot(["search", "number1", "--local"], {
      EARSHOT_DATA_DIR: service.dataDir,
    });
    expect(local.out).toContain("=comet number1");
    const other = await earshot(["search", "x", "--url", "https://other.example"]);
    expect(other.notes).toContain("an API key for https://other.example/ is required");

    expect((await earshot(["logout"])).code).toBe(0);
    expect(() => statSync(loginFile)).toThrow();
  });

  test("an unreadable login file is reported by name", async () => {
    mkdirSync(join(home, "earshot"), { recursive: true });
    writeFileSync(loginFile, "{");
    const { code, notes } = await earshot(["search", "number1"]);
    expect(code).toBe(1);
    expect(notes).toContain(`${loginFile} is not a valid login file`);
    expect((await earshot(["logout"])).code).toBe(0);
  });

  test("earshot login stores several profiles, and commands use the selected one", async () => {
    const second = await service.makeKey();
    const logIn = (args: readonly string[], text: string) =>
      runCommand(["login", url, ...args], { XDG_CONFIG_HOME: home }, piped(text));
    expect((await logIn([], key)).code).toBe(0);
    expect((await logIn(["--profile", "staging"], second)).code).toBe(0);
    const stored = join(home, "earshot", "login.staging.json");
    expect(JSON.parse(readFileSync(stored, "utf8"))).toEqual({ url, key: second });
    expect(statSync(stored).mode & 0o777).toBe(0o600);
    const { out } = await earshot(["login", "--list"]);
    expect(out).toBe(`PROFILE  SERVICE\ndefault  ${url}\nstaging  ${url}\n`);

    const fetchJobs = async (apiKey: string) =>
      (await service.call(apiKey, { method: "GET", url: "/v1/search/live/social/jobs" })).json()
        .jobs.length;
    const dataDir = { EARSHOT_DATA_DIR: join(home, "empty") };
    await earshot(["search", "number1", "--profile", "staging"], dataDir);
    expect(await fetchJobs(second)).toBe(1);
    await earshot(["search", "number1"], { EARSHOT_PROFILE: "staging" });
    expect(await fetchJobs(second)).toBe(2);
    await earshot(["search", "number1", "--profile", "default"], { EARSHOT_PROFILE: "staging" });
    expect(await fetchJobs(second)).toBe(2);

    expect((await earshot(["logout", "--profile", "staging"])).code).toBe(0);
    const selections = [
      earshot(["search", "x"], { EARSHOT_PROFILE: "staging" }),
      earshot(["search", "x", "--profile", "staging"]),
    ];
    for (const { code, notes } of await Promise.all(selections)) {
      expect(code).toBe(1);
      expect(notes).toContain("no login for profile staging");
    }
    expect((await earshot(["search", "number1"])).out).toContain("=comet number1");
    await earshot(["logout"]);
    expect((await earshot(["login", "--list"])).out).toBe("PROFILE  SERVICE\n");
  });

  test("a data folder that is set takes precedence over a login", async () => {
    const other = { EARSHOT_DATA_DIR: join(home, "empty") };
    await runCommand(["login", url], { XDG_CONFIG_HOME: home }, piped(key));
    const { notes } = await earshot(["search", "number1"], other);
    expect(notes).toContain("no archive in");
    await earshot(["logout"]);
  });
});

test.each([
  [["search", "x", "--url", "search.example"], /--url must be an HTTP URL, not "search\.example"/],
  [["search", "x", "--url", "https://a.example", "--local"], /cannot be used with/],
  [["search", "x", "--json", "--csv"], /cannot be used with/],
  [["search", "x", "--profile", "a", "--local"], /cannot be used with/],
  [["search", "x", "--profile", "../a"], /invalid --profile "\.\.\/a"/],
  [["login"], /the address is missing/],
  [["login", "ftp://a.example"], /the address must be an HTTP URL, not "ftp:/],
])("%j is a usage error with exit code 2", async (args, message) => {
  const { code, notes } = await earshot(args);
  expect(notes).toMatch(message);
  expect(code).toBe(2);
});

test("CSV omits the control characters of posts on a terminal, and keeps them in a pipe", async () => {
  const createdMs = service.clock.now() - 5_000;
  const createdAt = new Date(createdMs).toISOString();
  const text = "walrus \u001b[31mred";
  await service.addPosts([makePost({ key: "red", createdMs, createdAt, text })]);
  let screen = "";
  const code = await run(["search", "walrus", "--csv", "--url", url], {
    out: (piece) => {
      screen += piece;
    },
    note: () => undefined,
    interactive: true,
    interactiveNotes: false,
    columns: 80,
    colour: false,
    environment: { EARSHOT_API_KEY: key },
    stopSignal: new AbortController().signal,
  });
  expect(code).toBe(0);
  expect(screen).toContain("walrus [31mred");
  expect((await withKey("search", "walrus", "--csv")).out).toContain(text);
});
