import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Outcome, runCommand } from "../../../testkit/service/run-command.ts";
import { lockFolder } from "../../db/folder-lock.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { CredentialKind } from "../../platforms/credential.ts";
import { secretHint } from "../../platforms/hint.ts";
import { openControl } from "../../server/control/control.ts";
import { describeError, exitCode } from "../describe-error.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { addCredentialsCommand } from "./credentials.ts";

const canary = "canary-4f8e1b2c9d7a6053";

let dataDir: string;
let refusedTokens: Set<string>;
let allOutput: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "earshot-cli-credentials-"));
  refusedTokens = new Set();
  allOutput = "";
});

afterEach(() => rmSync(dataDir, { recursive: true }));

const secretField = {
  name: "accessToken",
  label: "Token",
  description: "the token",
  isSecret: true,
  isOptional: false,
};
const hostField = {
  name: "host",
  label: "Server",
  description: "the server",
  isSecret: false,
  isOptional: false,
};
const noteField = {
  name: "clientId",
  label: "Client ID",
  description: "the app's id",
  isSecret: false,
  isOptional: true,
};

/** A kind whose messages repeat the token. */
const userToken: CredentialKind = {
  platform: "mastodon",
  name: "user-token",
  access: "user",
  title: "Token",
  purpose: "Reads.",
  description: "a token of an account",
  fields: [hostField, secretField, noteField],
  make: async ({ host = "", accessToken = "", clientId = "none" }) => {
    if (refusedTokens.has(accessToken)) {
      throw new EarshotError("credential_invalid", `${host} refuses ${accessToken}`, {
        hint: `not ${accessToken}`,
      });
    }
    return {
      host,
      subject: `id of ${clientId}`,
      subjectName: `ann\u001b[31m`,
      hint: secretHint(accessToken),
      secrets: { accessToken },
    };
  },
  test: async (credential) => {
    const { accessToken = "" } = credential.secrets();
    if (accessToken === `slow ${canary}`) throw new EarshotError("upstream_timeout", "no response");
    if (!refusedTokens.has(accessToken)) return `it is ann's, ${accessToken}`;
    throw new EarshotError("credential_refused", `401 for ${accessToken}`);
  },
  send: async () => {
    throw new Error("unexpected request");
  },
};

const sharedToken: CredentialKind = {
  ...userToken,
  name: "shared-token",
  sharing: "Others are given IDs only; --account ACCOUNT gives it to one account.",
};

const oauth: CredentialKind = {
  ...userToken,
  platform: "x",
  name: "oauth",
  fields: [secretField],
  make: async ({ accessToken = "" }) => ({
    host: "https://api.x.example",
    subject: null,
    subjectName: null,
    hint: "",
    secrets: { accessToken },
  }),
  authorization: {
    fields: [noteField],
    run: async ({ clientId = "" }, _tools, dialogue) => {
      dialogue.show(`Open https://x.example/authorize?client=${clientId}`);
      const redirectUrl = await dialogue.prompt("The URL that the browser was redirected to");
      const code = new URL(redirectUrl).searchParams.get("code") ?? "";
      return {
        host: "https://api.x.example",
        subject: clientId,
        subjectName: "ben",
        hint: secretHint(code),
        secrets: { refreshToken: code },
      };
    },
  },
};

type Input = { lines?: readonly string[]; piped?: string };

async function credentials(args: readonly string[], { lines, piped }: Input = {}) {
  let out = "";
  let notes = "";
  const questions: { question: string; hidden: boolean }[] = [];
  const typedLines = [...(lines ?? [])];
  const reply = (hidden: boolean) => async (question: string) => {
    questions.push({ question, hidden });
    return typedLines.shift() ?? "";
  };
  const terminal: Terminal = {
    out: (text) => {
      out += text;
    },
    note: (text) => {
      notes += text;
    },
    interactive: false,
    interactiveNotes: false,
    columns: 80,
    colour: false,
    environment: { EARSHOT_DATA_DIR: dataDir },
    input: {
      interactive: lines !== undefined,
      ask: reply(false),
      askSecret: reply(true),
      readAll: async () => piped ?? "",
    },
    stopSignal: new AbortController().signal,
  };
  const program = new Command("earshot").exitOverride().configureOutput({
    writeOut: (text) => terminal.out(text),
    writeErr: () => undefined,
  });
  addCredentialsCommand(program, terminal, () => [userToken, sharedToken, oauth]);
  let code: number = exitCode.ok;
  try {
    await program.parseAsync(["credentials", ...args], { from: "user" });
  } catch (thrown) {
    const error = describeError(thrown);
    notes += error.line ?? "";
    code = error.code;
  }
  allOutput += out + notes;
  return { code, out, notes, questions } satisfies Outcome & Record<string, unknown>;
}

const host = "https://mastodon.example";
const addArgs = ["add", "mastodon", "user-token", "--host", host];

async function addToken(secret: string, extraArgs: readonly string[] = []): Promise<string> {
  const { out, code, notes } = await credentials(
    [...addArgs, "--secrets", "-", "--json", ...extraArgs],
    {
      piped: secret,
    },
  );
  expect({ code, notes }).toEqual({ code: 0, notes: "" });
  return JSON.parse(out).id;
}

async function listCredentials(): Promise<Record<string, unknown>[]> {
  const { out } = await credentials(["list", "--json"]);
  return out
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

test("earshot credentials requires a subcommand, and the help of add lists the kinds", async () => {
  const withoutSubcommand = await runCommand(["credentials"], { EARSHOT_DATA_DIR: dataDir });
  expect(withoutSubcommand).toMatchObject({ code: 2, out: "" });
  expect(withoutSubcommand.notes).toMatch(/credentials add, list, test or remove\n$/);
  const help = await credentials(["add", "--help"]);
  expect(help.out).toMatch(
    /\n {2}mastodon user-token\n {4}a token of an account\n {4}--host: the server\n/,
  );
  expect(help.out).toMatch(/\n {4}access-token \(secret\): the token\n/);
  expect(help.out).toMatch(
    /\n {4}--client-id, optional: .*\n {4}with --secrets, .*:\n {6}access-token/,
  );
});

describe("add", () => {
  test("credentials add prompts for missing fields, and for secrets without echo", async () => {
    const { code, out, questions } = await credentials(addArgs, { lines: [canary, ""] });
    expect(code).toBe(0);
    expect(questions).toEqual([
      { question: "access-token (the token)", hidden: true },
      { question: "client-id (the app's id; empty for none)", hidden: false },
    ]);
    expect(out).toMatch(
      /^credential \w{10} stored: mastodon user-token of the deployment, for ann\[31m at mastodon\.example, secret cana…\n$/,
    );
  });

  test.for([
    ["an unnamed secret", `${canary}\n`],
    ["by field name", `accessToken=${canary}\r\n\nclientId=none\n`],
    ["by option name", `access-token=${canary}`],
  ])("credentials add reads secrets from standard input: %s", async ([, piped = ""]) => {
    const id = await addToken(piped);
    expect(await listCredentials()).toMatchObject([
      { id, owner: "deployment", hint: "cana", state: "ok" },
    ]);
  });

  test("credentials add reads secrets from a file", async () => {
    const path = join(dataDir, "secrets.txt");
    writeFileSync(path, `${canary}\n`);
    const { code } = await credentials([...addArgs, "--secrets", path]);
    expect(code).toBe(0);
    rmSync(path);
  });

  test.for([
    [["add"], /missing required argument 'platform'/],
    [["add", "mastodon"], /missing required argument 'kind'/],
    [
      ["add", "mastodon", "app"],
      /"mastodon app" is not a kind of credential – use mastodon user-token, mastodon shared-token, x oauth/,
    ],
    [["add", "--host", host, "mastodon", "user-token"], /must come first/],
    [["add", "mastodon", "user-token"], /--host is required: the server – add --host VALUE/],
    [addArgs, /access-token is required – .*--secrets -/],
    [
      [...addArgs, "--access-token", canary],
      /--access-token is secret, and other users .* – .*--secrets -/,
    ],
    [[...addArgs, `--access-token=${canary}`], /--access-token is secret/],
    [
      [...addArgs, canary],
      /an argument after the kind is not supported by this kind – .*--host VALUE, --client-id VALUE/,
    ],
    [[...addArgs, "--colour", "red"], /--colour is not supported by this kind/],
    [[...addArgs, "--client-id"], /--client-id requires a value/],
    [["add", "x", "oauth"], /x oauth requires a terminal/],
  ] satisfies [string[], RegExp][])(
    "credentials add reports a usage error: %s",
    async ([args, message]) => {
      const { code, out, notes } = await credentials(args);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(notes).toMatch(message);
      expect(notes).not.toContain(canary);
    },
  );

  test.for([
    [
      `token=${canary}\nmore=${canary}`,
      /line 1 of the secrets does not name a field of this kind – write host=…, accessToken=…/,
    ],
    ["", /access-token is required/],
    ["accessToken=\n", /access-token must be 1 to 16384 characters/],
    [`${canary}${"x".repeat(20_000)}`, /access-token must be 1 to 16384 characters/],
    [`${canary}\u0007`, /without control characters/],
  ] satisfies [string, RegExp][])(
    "credentials add does not repeat malformed secrets: %#",
    async ([piped, message]) => {
      const { code, notes } = await credentials([...addArgs, "--secrets", "-"], { piped });
      expect(code).toBe(2);
      expect(notes).toMatch(message);
      expect(notes).not.toContain(canary);
    },
  );

  test("credentials add does not store a rejected credential or show a secret that the platform echoes", async () => {
    refusedTokens.add(canary);
    const { code, notes } = await credentials([...addArgs, "--secrets", "-"], { piped: canary });
    expect(code).toBe(1);
    expect(notes).toBe(`earshot: ${host} refuses … – not …\n`);
    expect(await listCredentials()).toEqual([]);
  });

  test("credentials add fails if only the running server knows the secret key, and creates no other key", async () => {
    const lock = lockFolder(dataDir);
    const { code, notes } = await credentials([...addArgs, "--secrets", "-"], { piped: canary });
    lock.release();
    expect(code).toBe(1);
    expect(notes).toContain("EARSHOT_SECRET_KEY is required");
    expect(readdirSync(dataDir)).not.toContain("secret.key");
    await addToken(canary);
    expect(readdirSync(dataDir)).toContain("secret.key");
  });

  test("credentials add rejects the name of a key as an account, and suggests the key's account", async () => {
    const control = await openControl({ dataDir });
    const key = {
      requestsPerSecond: null,
      submissionsPerMinute: null,
      accountName: null,
      nowMs: 1,
    };
    const { accountId } = await control.run("createKey", { ...key, name: "me" });
    await control.close();
    const args = [...addArgs, "--account", "me", "--secrets", "-"];
    const { code, notes } = await credentials(args, { piped: canary });
    expect(code).toBe(1);
    expect(notes).toContain(`use account ${accountId}, whose key has this name`);
  });

  test("credentials add assigns the credential to an existing account by name or id", async () => {
    const unknownAccount = await credentials(
      [...addArgs, "--account", "newsroom", "--secrets", "-"],
      {
        piped: canary,
      },
    );
    expect(unknownAccount.code).toBe(1);
    expect(unknownAccount.notes).toMatch(
      /account "newsroom" not found – find it with earshot accounts list/,
    );
    const control = await openControl({ dataDir });
    const key = { name: "k", requestsPerSecond: null, submissionsPerMinute: null, nowMs: 1 };
    const { accountId } = await control.run("createKey", { ...key, accountName: "newsroom" });
    await control.close();
    const id = await addToken(canary, ["--account", "newsroom"]);
    expect(await addToken(canary, ["--account", accountId])).toBe(id);
    expect(await listCredentials()).toMatchObject([
      { id, owner: "account", account: "newsroom", account_id: accountId },
    ]);
  });

  test("credentials add explains what other accounts see of a shared credential", async () => {
    const control = await openControl({ dataDir });
    const key = { name: "k", requestsPerSecond: null, submissionsPerMinute: null, nowMs: 1 };
    await control.run("createKey", { ...key, accountName: "newsroom" });
    await control.close();
    const args = ["add", "mastodon", "shared-token", "--host", host, "--secrets", "-"];
    const accountOutcome = await credentials([...args, "--account", "newsroom"], { piped: canary });
    expect(accountOutcome).toMatchObject({ code: 0, notes: "" });
    const sharedOutcome = await credentials(args, { piped: canary });
    expect(sharedOutcome).toMatchObject({ code: 0, notes: `${sharedToken.sharing}\n` });
  });

  test("credentials add replaces a credential for the same subject, but not one for another subject", async () => {
    const id = await addToken(`one ${canary}`);
    refusedTokens.add(`one ${canary}`);
    expect((await credentials(["test"])).code).toBe(1);
    expect(await addToken(`two ${canary}`)).toBe(id);
    const otherId = await addToken(`three ${canary}`, ["--client-id", "other"]);
    expect(await listCredentials()).toMatchObject([
      { id, hint: "two ", state: "ok", quarantine: null },
      { id: otherId, subject: "id of other" },
    ]);
  });

  test("credentials add replaces a credential without a subject only if the secret is the same", async () => {
    const add = async (piped: string) =>
      await credentials(["add", "x", "oauth", "--secrets", "-", "--json"], { piped });
    const firstId = JSON.parse((await add(canary)).out).id;
    expect(JSON.parse((await add(canary)).out).id).toBe(firstId);
    const otherId = JSON.parse((await add(`${canary}-2`)).out).id;
    expect((await listCredentials()).map(({ id }) => id).toSorted()).toEqual(
      [firstId, otherId].toSorted(),
    );
  });

  test("credentials add shows the URL to open and accepts the URL that the browser was redirected to", async () => {
    const { code, notes, questions } = await credentials(
      ["add", "x", "oauth", "--client-id", "app"],
      {
        lines: [`http://127.0.0.1/?code=${canary} `],
      },
    );
    expect(code).toBe(0);
    expect(notes).toContain("Open https://x.example/authorize?client=app\n");
    expect(questions).toHaveLength(1);
    expect(await listCredentials()).toMatchObject([
      { kind: "oauth", subject_name: "ben", hint: "cana" },
    ]);
    const piped = await credentials(["add", "x", "oauth", "--secrets", "-"], { piped: canary });
    expect(piped).toMatchObject({ code: 0, notes: "" });
  });
});

describe("test", () => {
  test("credentials test reports each outcome, quarantines rejected credentials, and releases those that work again", async () => {
    const goodId = await addToken(`good ${canary}`, ["--client-id", "good"]);
    const badId = await addToken(`bad ${canary}`, ["--client-id", "bad"]);
    const slowId = await addToken(`slow ${canary}`, ["--client-id", "slow"]);
    refusedTokens.add(`bad ${canary}`);
    const allTested = await credentials(["test"]);
    expect(allTested.code).toBe(1);
    expect(allTested.out).toMatch(new RegExp(`^${goodId} .*: ok: it is ann's, …$`, "m"));
    expect(allTested.out).toMatch(new RegExp(`^${badId} .*: failed: 401 for …$`, "m"));
    expect(allTested.out).toMatch(new RegExp(`^${slowId} .*: failed: no response$`, "m"));
    expect(allTested.notes).toMatch(/2 of 3 credentials failed – /);
    expect(await listCredentials()).toMatchObject([
      { state: "ok" },
      { state: "quarantined", quarantine: { reason: "401 for …" } },
      { state: "ok" },
    ]);
    refusedTokens.clear();
    const retested = await credentials(["test", badId]);
    expect(retested.code).toBe(0);
    expect(retested.out).toMatch(/released from quarantine\n$/);
    expect((await listCredentials()).map(({ state }) => state)).toEqual(["ok", "ok", "ok"]);
    const json = await credentials(["test", goodId, "--json"]);
    expect(JSON.parse(json.out)).toMatchObject({ id: goodId, works: true, released: false });
  });

  test("credentials test fails for a credential encrypted with another key, and tests the others", async () => {
    await addToken(canary);
    writeFileSync(join(dataDir, "secret.key"), `${Buffer.alloc(32).toString("base64")}\n`);
    await addToken(canary, ["--client-id", "other"]);
    const { code, out } = await credentials(["test"]);
    expect(code).toBe(1);
    expect(out).toMatch(
      /failed: the secret of credential \w+ was not encrypted with the current key/,
    );
    expect(out).toMatch(/: ok: /);
    expect((await listCredentials()).map(({ state }) => state)).toEqual(["ok", "ok"]);
  });

  test("credentials test succeeds without credentials, and fails for an unknown id", async () => {
    expect(await credentials(["test"])).toMatchObject({ code: 0, out: "" });
    const unknownCredential = await credentials(["test", "nothing"]);
    expect(unknownCredential.code).toBe(1);
    expect(unknownCredential.notes).toMatch(/credential "nothing" not found – /);
  });
});

describe("list and remove", () => {
  test("credentials list shows owner, subject, hint, use and state, but no removed credential", async () => {
    expect((await credentials(["list"])).notes).toMatch(/no credentials yet/);
    const id = await addToken(canary);
    const control = await openControl({ dataDir });
    const untilMs = Date.UTC(2999, 0, 2, 3, 4);
    await control.run("markCredentialUsed", { id, nowMs: Date.UTC(2026, 0, 2, 3, 4) });
    await control.run("startCredentialCooldown", {
      id,
      bucket: "search",
      untilMs,
      reason: "429",
      nowMs: 1,
    });
    const table = await credentials(["list"]);
    expect(table.out).toMatch(
      new RegExp(
        `^${id} +mastodon +user-token +deployment +ann\\[31m at mastodon\\.example +cana… +2026-01-02 03:04 +cooling until 2999-01-02 03:04 \\(search\\)$`,
        "m",
      ),
    );
    await control.run("quarantineCredential", { id, revision: 0, reason: "401", nowMs: 1 });
    await control.close();
    expect((await credentials(["list"])).out).toMatch(/quarantined: 401$/m);
    expect(await credentials(["remove", id])).toMatchObject({ code: 0 });
    expect(await listCredentials()).toEqual([]);
    const again = await credentials(["remove", id]);
    expect(again.code).toBe(1);
    expect(again.notes).toMatch(/credential .* not found/);
  });
});

test("no command prints a secret, and no file of the data folder contains one", async () => {
  const id = await addToken(canary);
  await credentials(addArgs, { lines: [canary, "other"] });
  await credentials(["list"]);
  await credentials(["list", "--json"]);
  await credentials(["test"]);
  refusedTokens.add(canary);
  await credentials(["test", "--json"]);
  await credentials(["list"]);
  await credentials([...addArgs, "--secrets", "-"], { piped: canary });
  await credentials(["remove", id]);
  expect(allOutput).toContain("cana…");
  expect(allOutput).not.toContain(canary);
  const files = readdirSync(dataDir);
  expect(files).toContain("control.db");
  for (const name of files) {
    const bytes = readFileSync(join(dataDir, name)).toString("latin1");
    expect(bytes.includes(canary), name).toBe(false);
    expect(bytes.includes(Buffer.from(canary).toString("base64").slice(0, 20)), name).toBe(false);
  }
});
