import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Input } from "../../src/cli/terminal/terminal.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createEncryptor } from "../../src/lib/encryption.ts";
import { configFrom } from "../../src/server/config.ts";
import { type Control, startControl } from "../../src/server/control/control.ts";
import { credentialKinds } from "../../src/server/roles/credential-kinds.ts";
import { openUpstreamClient } from "../../src/server/roles/upstream-client.ts";
import { createCredentialPool } from "../../src/upstream/credentials/create-pool.ts";
import { startXEmulator, type XEmulator } from "../../testkit/emulators/x/server.ts";
import { type Outcome, runCommand } from "../../testkit/service/run-command.ts";

/** Commands run while a server runs, against an X emulator with expiring sessions. */

const appToken = "app-token-canary-4f8e1b2c9d7a6053";
const redirectUri = "http://127.0.0.1/back";
const client = { id: "client-1", secret: "client-secret-canary-77aa", redirectUri };

let nowMs = Date.now();
let emulator: XEmulator;
let dataDir: string;
let environment: Record<string, string>;
let control: Control;
let method: ReturnType<typeof openUpstreamClient>;
let pool: ReturnType<typeof createCredentialPool>;
let output = "";

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "earshot-credentials-"));
  emulator = await startXEmulator({
    appTokens: [appToken],
    clients: [client],
    now: () => nowMs,
    world: { users: [{ id: "1", username: "ann", name: "Ann" }] },
  });
  environment = { EARSHOT_DATA_DIR: dataDir, EARSHOT_X_API_URL: emulator.url };
  control = await startControl({ dataDir });
  const config = configFrom(environment);
  method = openUpstreamClient(config);
  pool = createCredentialPool({
    store: control.store,
    encryptor: createEncryptor(control.secrets.secretKey, randomBytes),
    kinds: credentialKinds(config, method),
    fetch: method.fetch,
    clock: { ...systemClock, now: () => nowMs },
    randomBytes,
  });
});

afterAll(async () => {
  await method.close();
  await emulator.close();
  rmSync(dataDir, { recursive: true });
});

async function earshot(
  args: readonly string[],
  inputOf?: (shown: () => string) => Input,
): Promise<Outcome> {
  const outcome = await runCommand(["credentials", ...args], environment, inputOf);
  output += outcome.out + outcome.notes;
  return outcome;
}

const piped = (text: string) => (): Input => ({
  interactive: false,
  ask: async () => "",
  askSecret: async () => "",
  readAll: async () => text,
});

const approvingUser = (shown: () => string): Input => ({
  interactive: true,
  ask: async () => {
    const address = /^http\S+$/m.exec(shown())?.[0] ?? "";
    const response = await fetch(address, { redirect: "manual" });
    return response.headers.get("location") ?? "";
  },
  askSecret: async () => client.secret,
  readAll: async () => "",
});

async function choose(access: "app" | "user") {
  return await pool.choose({
    platform: "x",
    accountId: "nobody",
    access,
    ownership: "any",
    bucket: null,
    host: null,
  });
}

test("docs/credentials.md documents every kind of credential and no other", () => {
  const page = readFileSync(new URL("../../docs/credentials.md", import.meta.url), "utf8");
  const reported = [...page.matchAll(/^\| (Bluesky|Mastodon|X) \| `([\w-]+)` \|/gm)].map(
    ([, platform, name]) => `${platform?.toLowerCase()} ${name}`,
  );
  const kinds = credentialKinds(configFrom(environment), method);
  expect(reported.toSorted()).toEqual(
    kinds.map(({ platform, name }) => `${platform} ${name}`).toSorted(),
  );
});

const refreshes = (): number =>
  emulator.requests.filter(({ path }) => path === "/2/oauth2/token").length;

test("a running server notices when a command adds or removes credentials", async () => {
  expect(await choose("app")).toEqual([]);
  const added = await earshot(
    ["add", "x", "app-token", "--secrets", "-", "--json"],
    piped(appToken),
  );
  expect(added).toMatchObject({ code: 0, notes: "" });
  const [chosen] = await choose("app");
  if (chosen === undefined) throw new Error("nothing to choose from");
  const { credential, kind, credentialInUse: stored, tools } = chosen;
  expect(credential).toMatchObject({ id: JSON.parse(added.out).id, hint: "app-" });
  const url = new URL("/2/usage/tweets", emulator.url);
  const signal = AbortSignal.timeout(5_000);
  expect((await kind.send({ url, headers: {}, signal }, stored, tools)).status).toBe(200);
  await pool.quarantine(credential.id, chosen.revision(), `401 to ${appToken}`);
  expect(await choose("app")).toEqual([]);
  expect((await earshot(["list"])).out).toMatch(/quarantined: 401 to …$/m);
  expect((await earshot(["test"])).code).toBe(0);
  expect(await choose("app")).toHaveLength(1);
  await earshot(["remove", credential.id]);
  expect(await choose("app")).toEqual([]);
});

test("a token that the platform rejects is not stored", async () => {
  const refused = await earshot(["add", "x", "app-token", "--secrets", "-"], piped(`${appToken}x`));
  expect(refused.code).toBe(1);
  expect(await choose("app")).toEqual([]);
});

test("fifty concurrent requests renew an expired session once, and a command uses the renewed session", async () => {
  const args = ["add", "x", "user-token", "--client-id", client.id, "--redirect-uri", redirectUri];
  const added = await earshot(args, approvingUser);
  expect(added.out).toMatch(/x user-token of the deployment, for ann at 127\.0\.0\.1/);
  const [chosen] = await choose("user");
  if (chosen === undefined) throw new Error("nothing to choose from");
  const { kind, credentialInUse: stored, tools } = chosen;
  const before = refreshes();
  nowMs += 7_300_000;
  const url = new URL("/2/users/me", emulator.url);
  const send = async () =>
    await kind.send({ url, headers: {}, signal: AbortSignal.timeout(5_000) }, stored, tools);
  const responses = await Promise.all(Array.from({ length: 50 }, send));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  expect(refreshes() - before).toBe(1);
  const [tested] = await Promise.all([earshot(["test"]), ...Array.from({ length: 50 }, send)]);
  expect(tested).toMatchObject({ code: 0, notes: "" });
  nowMs += 7_300_000;
  expect((await send()).status).toBe(200);
});

test("no secret appears in command output or in files of the data folder", async () => {
  await pool.stop();
  // Reading a database file that this process has open would drop its locks.
  await control.close();
  const secrets = [appToken, client.secret, ...emulator.requests.flatMap(getTokens)];
  expect(secrets.length).toBeGreaterThan(4);
  const files = readdirSync(dataDir);
  expect(files).toContain("control.db");
  for (const secret of new Set(secrets)) {
    expect(output.includes(secret)).toBe(false);
    for (const name of files) {
      expect(readFileSync(join(dataDir, name)).includes(secret), name).toBe(false);
    }
  }
});

function getTokens({ authorization }: { authorization: string | null }): string[] {
  const token = /^Bearer (.+)$/.exec(authorization ?? "")?.[1];
  return token === undefined ? [] : [token];
}
