import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Outcome, runCommand } from "../../../testkit/service/run-command.ts";

const dataDir = mkdtempSync(join(tmpdir(), "earshot-accounts-"));
afterAll(() => rmSync(dataDir, { recursive: true }));

const earshot = (...args: string[]): Promise<Outcome> =>
  runCommand(args, { EARSHOT_DATA_DIR: dataDir });

const json = async (...args: string[]) =>
  (await earshot(...args, "--json")).out
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

async function makeAccount(name: string): Promise<string> {
  await earshot("keys", "create", "--name", `key of ${name}`, "--account", name);
  return (await json("accounts", "show", name))[0].id;
}

describe("accounts", () => {
  test("accounts can be listed, and shown by name or id", async () => {
    expect((await earshot("accounts", "list")).notes).toContain("no accounts yet");
    const id = await makeAccount("ann");
    expect((await earshot("accounts", "list")).out).toMatch(
      new RegExp(
        `^ID +NAME .*\n${id} +ann +local +member +1 +default +\\d{4}-\\d\\d-\\d\\d +never +active\n$`,
      ),
    );
    expect(await json("accounts", "list")).toEqual(await json("accounts", "show", id));
    expect((await earshot("accounts", "show", "ann")).out).toMatch(/^role +member$/m);
    const unknownAccount = await earshot("accounts", "show", "nobody");
    expect(unknownAccount).toMatchObject({ code: 1, out: "" });
    expect(unknownAccount.notes).toMatch(/^earshot: account "nobody" not found – /);
  });

  test("accounts can be changed, and their limits reset to the deployment's", async () => {
    await makeAccount("bob");
    const limits = ["--requests-per-second", "9", "--submissions-per-minute", "90"];
    const changeOutcome = await earshot("accounts", "change", "bob", ...limits);
    expect(changeOutcome.out).toMatch(/^limits +9\/s 90\/min$/m);
    await earshot("accounts", "change", "bob", "--requests-per-second", "default");
    expect((await json("accounts", "show", "bob"))[0]).toMatchObject({
      requests_per_second: null,
      submissions_per_minute: 90,
    });
    expect((await earshot("accounts", "change", "bob")).code).toBe(2);
    expect((await earshot("accounts", "change", "bob", "--role", "king")).code).toBe(2);
  });

  test("accounts are suspended with a reason and restored", async () => {
    await makeAccount("carla");
    const reason = "too many searches";
    const hidden = await earshot("accounts", "suspend", "carla", "--reason", "spam\u001b[31m");
    expect(hidden.code).toBe(2);
    expect((await earshot("accounts", "suspend", "carla", "--reason", reason)).code).toBe(0);
    expect((await earshot("accounts", "show", "carla")).out).toMatch(
      /^suspended +\S+Z – too many searches$/m,
    );
    await earshot("accounts", "restore", "carla");
    expect((await json("accounts", "show", "carla"))[0].suspended_at).toBeNull();
    expect((await earshot("accounts", "suspend", "carla")).code).toBe(2);
    expect((await earshot("accounts", "suspend", "carla", "--reason", "x".repeat(201))).code).toBe(
      2,
    );
  });

  test("accounts are deleted only with --yes, and the last operator cannot be deleted", async () => {
    const id = await makeAccount("dora");
    await earshot("accounts", "change", "dora", "--role", "operator");
    const unconfirmedOutcome = await earshot("accounts", "delete", "dora");
    expect([unconfirmedOutcome.code, unconfirmedOutcome.notes]).toEqual([
      2,
      expect.stringContaining("--yes"),
    ]);
    const lastOutcome = await earshot("accounts", "delete", "dora", "--yes");
    expect([lastOutcome.code, lastOutcome.notes]).toEqual([
      1,
      expect.stringContaining("the last operator"),
    ]);
    await makeAccount("emil");
    await earshot("accounts", "change", "emil", "--role", "operator");
    expect(await earshot("accounts", "delete", "dora", "--yes")).toMatchObject({
      code: 0,
      out: "account dora deleted\n",
      notes: "",
    });
    expect((await earshot("accounts", "show", id)).code).toBe(1);
    const keys = (await earshot("keys", "list", "--json")).out;
    expect(keys).not.toContain(id);
  });
});

describe("the audit log", () => {
  test("the audit log lists the actions of all accounts or of one, newest first, without names of deleted accounts", async () => {
    await makeAccount("finn");
    await earshot("accounts", "change", "finn", "--submissions-per-minute", "33");
    const [newest] = await json("audit", "--account", "finn", "--limit", "1");
    expect(newest).toMatchObject({
      action: "account_limits_changed",
      actor: "the command line",
      subject: "finn",
      detail: { submissions_per_minute: 33 },
    });
    const text = (await earshot("audit", "--account", "finn")).out;
    expect(text).toMatch(/^\S+Z {2}account limits changed {2}for finn {2}by the command line {2}/);
    await earshot("accounts", "delete", "finn", "--yes");
    const fullLog = await earshot("audit");
    expect(fullLog.out).toMatch(
      /^\S+Z {2}account deleted {2}for a deleted account {2}by the command line\n/,
    );
    expect(fullLog.out).not.toContain("finn");
    expect((await earshot("audit", "--account", "finn")).code).toBe(1);
  });

  test("the audit log can be filtered by actor, action and time", async () => {
    await makeAccount("gwen");
    const baseArgs = ["audit", "--account", "gwen"];
    const actions = async (...filters: string[]) =>
      (await json(...baseArgs, ...filters)).map(({ action }) => action);
    expect(await actions()).toEqual(["key_created", "account_created"]);
    expect(await actions("--action", "key_created")).toEqual(["key_created"]);
    expect(await actions("--actor", "command_line")).toHaveLength(2);
    expect(await actions("--actor", "gwen")).toEqual([]);
    const [{ at }] = await json(...baseArgs);
    expect(await actions("--since", at)).toContain("key_created");
    expect(await actions("--until", "2026-01-31")).toEqual([]);
    expect((await earshot(...baseArgs, "--until", "2026-01-31")).notes).toContain(
      "no audit log entries",
    );
    expect((await earshot("audit", "--action", "left")).code).toBe(2);
  });
});
