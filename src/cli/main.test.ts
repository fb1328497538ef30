import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Outcome, runCommand } from "../../testkit/service/run-command.ts";

const dataDir = mkdtempSync(join(tmpdir(), "earshot-cli-"));
afterAll(() => rmSync(dataDir, { recursive: true }));

const earshot = (args: readonly string[], environment = {}): Promise<Outcome> =>
  runCommand(args, { EARSHOT_DATA_DIR: dataDir, ...environment });

function file(name: string, lines: readonly unknown[]): string {
  const path = join(dataDir, name);
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  writeFileSync(path, `${text.join("\n")}\n`);
  return path;
}

const post = (id: number, text: string) => ({
  id: String(1_500_000_000_000_000_000n + BigInt(id)),
  author: "somebody_demo",
  created_at: "2022-03-05T07:00:00Z",
  text,
});

describe("a usage error exits with 2 and prints one line with a hint to standard error", () => {
  test.for([
    [[], /earshot requires a command – run earshot --help/],
    [["serf"], /unknown command 'serf' – did you mean serve\?/],
    [["help", "serf"], /unknown command 'serf' – did you mean serve\?/],
    [["search"], /missing required argument 'query'/],
    [["search", "x", "--max-results", "501"], /whole number from 1 to 500/],
    [["search", "x", "--jsn"], /unknown option '--jsn'/],
    [["search", "cats", "dogs"], /must be a single argument – put it in quotes: 'cats dogs'/],
    [
      ["import", "x", "--platform", "x", "--strct"],
      /unknown option '--strct' – did you mean --strict\?/,
    ],
    [["import", "file"], /required option '--platform <name>' not specified/],
    [["import", "file", "--platform", "myspace"], /Allowed choices are bluesky, mastodon, x/],
    [["import", "f", "--platform", "x", "--covers", "2026"], /FROM\.\.TO/],
    [
      ["import", "f", "--platform", "x", "--covers", "2026-01-01..2999-01-01"],
      /--covers ends in the future, at 2999-01-01T00:00:00\.000Z/,
    ],
    [["keys"], /keys create, list, rotate or revoke/],
    [["keys", "create"], /--name/],
  ] satisfies [string[], RegExp][])(
    "a usage error exits with 2 and prints one line with a hint to standard error: %s",
    async ([args, message]) => {
      const { code, out, notes } = await earshot(args);
      expect(code).toBe(2);
      expect(out).toBe("");
      expect(notes).toMatch(/^earshot: [^\n]+ – [^\n]+\n$/);
      expect(notes).toMatch(message);
    },
  );

  test("a misspelt setting exits with 2 and prints one line with a hint to standard error", async () => {
    const misspeltSetting = await earshot(["keys", "list"], { EARSHOT_DATADIR: "x" });
    expect(misspeltSetting).toMatchObject({ code: 2, out: "" });
    expect(misspeltSetting.notes).toMatch(/^earshot: .*EARSHOT_DATADIR – .*EARSHOT_DATA_DIR/);
    const unreadableSetting = await earshot(["keys", "list"], { EARSHOT_PORT: "many" });
    expect(unreadableSetting).toMatchObject({ code: 2, out: "" });
    expect(unreadableSetting.notes).toMatch(/^earshot: EARSHOT_PORT must be .*, not "many"/);
  });
});

describe("help", () => {
  test("--help exits with 0, with or without a command", async () => {
    const commands = ["serve", "demo", "import", "search", "explain", "keys"];
    const overview = await earshot(["--help"]);
    expect(overview).toMatchObject({ code: 0, notes: "" });
    for (const command of commands) {
      expect(overview.out).toContain(`\n  ${command}`);
      const help = await earshot([command, "--help"]);
      expect(help).toMatchObject({ code: 0, notes: "" });
      expect(help.out).toContain(`Usage: earshot ${command}`);
    }
    expect((await earshot(["keys", "create", "--help"])).out).toContain("--requests-per-second");
    expect((await earshot(["--version"])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe("explain", () => {
  test("explain shows the canonical form, the tree and the warnings", async () => {
    const { code, out, notes } = await earshot(["explain", "lang:en cats OR dogs"]);
    expect(code).toBe(0);
    expect(notes).toBe("");
    expect(out).toContain("lang:en (cats OR dogs)\n");
    expect(out).toContain("any of");
    expect(out).toContain("warning[or_binds_tighter]");
  });

  test("explain marks an error with carets and exits with 2", async () => {
    const { code, out, notes } = await earshot(["explain", "cats since:2026-02-30"]);
    expect(code).toBe(2);
    expect(out).toContain("  cats since:2026-02-30\n  ");
    expect(out).toMatch(/\n {2,}\^+\n/);
    expect(notes).toMatch(/^earshot: the query has an error/);
  });

  test("explain --json prints one object", async () => {
    const { out } = await earshot(["explain", "-cats", "--json"]);
    const answer = JSON.parse(out);
    expect(Object.keys(answer)).toEqual([
      "query",
      "canonical_query",
      "tree",
      "plan",
      "diagnostics",
    ]);
    expect(answer.tree.kind).toBe("not");
  });
});

describe("import and search", () => {
  test("a search in a folder without an archive fails with a hint, and creates none", async () => {
    const emptyFolder = join(dataDir, "empty");
    mkdirSync(emptyFolder);
    const { code, notes } = await earshot(["search", "x"], { EARSHOT_DATA_DIR: emptyFolder });
    expect(code).toBe(1);
    expect(notes).toMatch(/^earshot: no archive in .* – .*EARSHOT_DATA_DIR/);
    expect(readdirSync(emptyFolder)).toEqual([]);
  });

  test("imported posts are found, newest first, and a bad line is rejected", async () => {
    const path = file("good.ndjson", [
      post(1, "a comet"),
      "{",
      post(2, "the comet\u001b[31m again"),
    ]);
    const importOutcome = await earshot(["import", path, "--platform", "x"]);
    expect(importOutcome.code).toBe(0);
    expect(importOutcome.out).toMatch(/2 imported, 0 updated, 0 unchanged, 1 rejected/);
    expect(importOutcome.out).toContain(`${path}.rejected`);
    expect(importOutcome.notes).toContain(`${path}:2: `);

    const secondImport = await earshot(["import", path, "--platform", "x", "--json"]);
    expect(JSON.parse(secondImport.out)).toMatchObject({ already_imported: true });

    const search = await earshot(["search", "comet"]);
    expect(search.code).toBe(0);
    expect(search.out.indexOf("the comet[31m again")).toBeGreaterThan(0);
    expect(search.out.indexOf("a comet")).toBeGreaterThan(search.out.indexOf("the comet"));
    expect(search.out).not.toContain("\u001b");
    expect(search.notes).toContain(
      "2 posts. There may be more: the archive does not cover this time.",
    );

    const json = await earshot(["search", "comet", "--ndjson", "--max-results", "1"]);
    expect(json.notes).toBe("");
    const lines = json.out.trimEnd().split("\n");
    expect(lines).toHaveLength(1);
    expect(Object.keys(JSON.parse(lines[0] ?? ""))).toEqual(["ID", "Content", "Metadata", "Score"]);
  });

  test("import --strict stops at a bad line", async () => {
    const path = file("strict.ndjson", [post(3, "fine"), { author: "x" }]);
    const { code, out, notes } = await earshot(["import", path, "--platform", "x", "--strict"]);
    expect(code).toBe(1);
    expect(out).toBe("");
    expect(notes).toMatch(/^earshot: .*strict\.ndjson:2: .* – .*--strict/);
  });

  test("import reads another format with --format and --columns", async () => {
    const path = file("posts.csv", ["who,date,body", "ann,2025-03-04,from a table"]);
    const columns = "author=who,created_at=date,text=body";
    const args = ["import", path, "--platform", "x", "--format", "csv", "--columns", columns];
    expect(await earshot(args)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/ 1 imported/),
    });
    const { out } = await earshot(["search", '"from a table"', "--ndjson"]);
    expect(out).toContain("from a table");
  });

  test("an import of a file in the wrong format fails with a hint", async () => {
    const path = file("table.csv", ["author,text", "ann,hello"]);
    const { code, notes } = await earshot(["import", path, "--platform", "x"]);
    expect(code).toBe(1);
    expect(notes).toMatch(/table\.csv: no valid posts – .*one JSON object per line/);
  });

  test("a search shows each error in its query", async () => {
    const { code, notes } = await earshot(["search", "since:2026-02-30 min_faves:lots"]);
    expect(code).toBe(2);
    expect(notes).toContain("error[invalid_date]");
    expect(notes).toContain("error[invalid_count]");
  });

  test("the time given with import --covers is recorded if no line was rejected", async () => {
    const path = file("covers.ndjson", [post(4, "covered")]);
    const span = "2022-03-05..2022-03-06";
    const { out } = await earshot(["import", path, "--platform", "x", "--covers", span]);
    expect(out).toContain("coverage recorded");
    const coveredSearch = await earshot([
      "search",
      "covered platform:x since:2022-03-05 until:2022-03-06",
    ]);
    expect(coveredSearch.notes).toContain("The archive covers this time completely.");
    const search = await earshot(["search", "covered"]);
    expect(search.notes).toContain("the archive does not cover all of this time.");
    expect(search.notes).toMatch(/^x +▒·+$/m);
    expect(search.notes).toMatch(/^gap 2022-03-06 00:00 – now \(\d+ d/m);
    const uncoveredSearch = await earshot(["search", "covered since:2022-04-01 until:2022-04-02"]);
    expect(uncoveredSearch.notes).toContain("the archive does not cover this time.");
    expect(uncoveredSearch.notes).toMatch(/^x posts +▒·+$/m);
  });

  test("the time given with import --covers is not recorded if a line in any file was rejected", async () => {
    const first = file("holed.ndjson", [post(5, "fine"), "bad"]);
    const last = file("whole.ndjson", [post(6, "fine")]);
    const args = ["import", first, last, "--platform", "x", "--covers", "2022-04-01..2022-04-02"];
    for (const outcome of [await earshot(args), await earshot(args)]) {
      expect(outcome.out).not.toContain("coverage recorded");
      expect(outcome.notes).toMatch(/--covers was not recorded, because 1 line was rejected/);
    }
  });

  test("untrusted text in the output cannot move the terminal's cursor", async () => {
    const path = file("hostile.ndjson", [
      "\u001b]0;owned\u0007\u009b31m",
      { ...post(7, "fine"), "\u009b31mname": 1 },
    ]);
    const { out, notes } = await earshot(["import", path, "--platform", "x"]);
    expect(notes).toContain(`${path}:1: `);
    expect(out).toContain("31mname (1)");
    expect(out + notes).not.toMatch(/[\p{Cc}--\n]/v);
  });

  test("an import of a missing file fails", async () => {
    const { code, notes } = await earshot(["import", "/no/such/file", "--platform", "x"]);
    expect(code).toBe(1);
    expect(notes).toMatch(/^earshot: cannot read \/no\/such\/file: .* – /);
  });
});

describe("keys", () => {
  test("keys are created, shown once, listed without their secret, and revoked", async () => {
    const createOutcome = await earshot([
      "keys",
      "create",
      "--name",
      "laptop",
      "--requests-per-second",
      "9",
    ]);
    expect(createOutcome.code).toBe(0);
    expect(createOutcome.out).toMatch(/^ear_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}\n$/);
    const [, id = "", secret = ""] = createOutcome.out.trim().split("_");

    const table = await earshot(["keys", "list"]);
    expect(table.out).toMatch(
      new RegExp(`${id} +laptop +own +9/s +all +\\d{4}-\\d\\d-\\d\\d +never +never +active`),
    );
    const json = await earshot(["keys", "list", "--json"]);
    expect(JSON.parse(json.out)).toMatchObject({ id, name: "laptop", requests_per_second: 9 });
    expect(table.out + json.out).not.toContain(secret);

    expect(await earshot(["keys", "revoke", id])).toMatchObject({ code: 0 });
    expect((await earshot(["keys", "list"])).out).toContain("revoked");
    const unknownKey = await earshot(["keys", "revoke", "nobody00"]);
    expect(unknownKey.code).toBe(1);
    expect(unknownKey.notes).toMatch(/^earshot: key "nobody00" not found – /);
  });

  test("keys can expire, be limited to some methods, and be rotated", async () => {
    const options = ["--methods", "gettrends,searchbyquery", "--expires", "90d"];
    const createOutcome = await earshot(["keys", "create", "--name", "nightly", ...options]);
    expect(createOutcome.code).toBe(0);
    const [, id = ""] = createOutcome.out.split("_");
    const rotateOutcome = await earshot(["keys", "rotate", id, "--overlap", "2h"]);
    expect(rotateOutcome).toMatchObject({ code: 0, out: expect.stringMatching(/^ear_\w{47}\n$/) });
    const [, successor = ""] = rotateOutcome.out.split("_");

    const { out } = await earshot(["keys", "list", "--json"]);
    const keys = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const nightly = keys.filter(({ name }) => name === "nightly");
    const methods = ["searchbyquery", "gettrends"];
    expect(nightly).toMatchObject([
      { id, state: "expiring", successor_id: successor, methods, revoked: false },
      { id: successor, state: "active", successor_id: null, methods, used_at: null },
    ]);
    const [former, latter] = nightly.map((key) => Date.parse(key.expires_at) - Date.now());
    expect(former).toBeLessThanOrEqual(2 * 3_600_000);
    expect(former).toBeGreaterThan(3_600_000);
    expect(latter).toBeGreaterThan(89 * 86_400_000);
    const table = (await earshot(["keys", "list"])).out;
    expect(table).toMatch(new RegExp(`${id} +nightly .* searchbyquery,gettrends .* expiring`));

    const secondRotation = await earshot(["keys", "rotate", id]);
    expect(secondRotation.code).toBe(1);
    expect(secondRotation.notes).toMatch(
      new RegExp(`^earshot: the key has already been rotated – .*${successor}`),
    );
  });

  test.each([
    [["create", "--name", "x", "--methods", "searchbynothing"], /Unknown method "searchbynothing"/],
    [["create", "--name", "x", "--expires", "soon"], /a duration from 1s to/],
    [["rotate", "nobody00", "--overlap", "8d"], /a duration from 0ms to 7d/],
  ] satisfies [string[], RegExp][])(
    "wrong arguments of earshot keys are usage errors: %j",
    async (args, message) => {
      const { code, notes } = await earshot(["keys", ...args]);
      expect(code).toBe(2);
      expect(notes).toMatch(message);
    },
  );

  test("key names cannot contain control characters", async () => {
    const { code, notes } = await earshot(["keys", "create", "--name", "a\u001b[31mb"]);
    expect(code).toBe(1);
    expect(notes).toContain("visible characters");
  });
});
