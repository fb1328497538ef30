import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLimiter } from "../../accounts/limiter.ts";
import { defaultLimits } from "../../accounts/limits.ts";
import type { JobInsertion } from "../../jobs/submissions/submission-operations.ts";
import { systemClock } from "../../lib/clock.ts";
import { openControl, startControl } from "./control.ts";

let parent: string;
let dataDir: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "earshot-"));
  dataDir = join(parent, "data");
});

afterEach(() => rmSync(parent, { recursive: true }));

const params = {
  name: "laptop",
  accountName: null,
  requestsPerSecond: null,
  submissionsPerMinute: null,
  nowMs: 1,
};

const commandActor = { actor: "command_line", nowMs: 2 } as const;

function makeJob(accountId: string, uuid: string): JobInsertion {
  return {
    uuid,
    accountId,
    keyId: "key",
    request: "{}",
    canonicalQuery: "comet",
    warnings: "[]",
    submittedMs: 1,
    deadlineMs: 2,
  };
}

test("secrets are encrypted with the folder's key unless another one is configured", async () => {
  const first = await startControl({ dataDir });
  await first.close();
  const second = await startControl({ dataDir });
  await second.close();
  expect(second.secrets.secretKey).toEqual(first.secrets.secretKey);
  expect(statSync(join(dataDir, "secret.key")).mode & 0o777).toBe(0o600);
  const configuredKey = new Uint8Array(32).fill(7);
  const otherDir = join(parent, "other");
  const third = await startControl({ dataDir: otherDir, secretKey: configuredKey });
  await third.close();
  expect(third.secrets.secretKey).toBe(configuredKey);
  expect(existsSync(join(otherDir, "secret.key"))).toBe(false);
});

test("an empty folder becomes a control store that is private to its owner, with a persistent secret", async () => {
  const first = await startControl({ dataDir });
  const { cursorKey } = first.secrets;
  expect(cursorKey).toHaveLength(32);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(statSync(join(dataDir, "control.db")).mode & 0o777).toBe(0o600);
  await first.close();
  const second = await startControl({ dataDir });
  expect(second.secrets.cursorKey.equals(cursorKey)).toBe(true);
  await second.close();
});

const loseControl = (): void => {
  for (const suffix of ["", "-wal", "-shm"]) {
    rmSync(join(dataDir, `control.db${suffix}`), { force: true });
  }
};

test("a control store that is missing, empty or from another folder is refused, including by commands", async () => {
  await (await startControl({ dataDir })).close();
  const otherDir = join(parent, "other");
  await (await startControl({ dataDir: otherDir })).close();
  const path = join(dataDir, "control.db");
  const losses: [string, () => void][] = [
    ["control_missing", loseControl],
    ["control_missing", () => writeFileSync(path, "")],
    ["control_foreign", () => cpSync(join(otherDir, "control.db"), path)],
  ];
  for (const [code, lose] of losses) {
    lose();
    const expectedError = { code, hint: expect.stringMatching(/control\.id/) };
    await expect(startControl({ dataDir })).rejects.toMatchObject(expectedError);
    await expect(openControl({ dataDir })).rejects.toMatchObject(expectedError);
  }
  rmSync(join(dataDir, "control.id"));
  await (await startControl({ dataDir })).close();
});

test("a control store is restored from its backup, even one older than the recorded id", async () => {
  const first = await startControl({ dataDir });
  await first.close();
  const backup = join(parent, "backup.db");
  cpSync(join(dataDir, "control.db"), backup);
  rmSync(join(dataDir, "control.id"));
  await (await startControl({ dataDir })).close();
  loseControl();
  cpSync(backup, join(dataDir, "control.db"));
  const restoredControl = await startControl({ dataDir });
  expect(restoredControl.secrets.cursorKey.equals(first.secrets.cursorKey)).toBe(true);
  await restoredControl.close();
});

test("a missing secret key is not replaced while anything is encrypted with it", async () => {
  await (await startControl({ dataDir })).close();
  const path = join(dataDir, "secret.key");
  rmSync(path);
  await (await startControl({ dataDir })).close();
  expect(existsSync(path)).toBe(true);
  const control = new DatabaseSync(join(dataDir, "control.db"));
  control.exec(
    `INSERT INTO credential(id, platform, kind, host, hint, sealed_secret, created_ms)
     VALUES('a', 'x', 'x-app', 'api.x.com', 'AAAA', x'00', 1)`,
  );
  await control.close();
  rmSync(path);
  await expect(startControl({ dataDir })).rejects.toMatchObject({ code: "secret_key_missing" });
  expect(existsSync(path)).toBe(false);
  const secretKey = new Uint8Array(32).fill(7);
  await (await startControl({ dataDir, secretKey })).close();
});

test("a second server on the folder is refused, and the first continues", async () => {
  const control = await startControl({ dataDir });
  await expect(startControl({ dataDir })).rejects.toMatchObject({ code: "folder_in_use" });
  expect(await control.store.read("listKeys", null)).toEqual([]);
  await control.close();
  await (await startControl({ dataDir })).close();
});

test("keys that a command creates or revokes take effect immediately on a running server", async () => {
  const control = await startControl({ dataDir });
  const command = await openControl({ dataDir });
  const { id, token } = await command.run("createKey", params);
  const limiter = createLimiter(control.store, systemClock, defaultLimits);
  const authorization = `Bearer ${token}`;
  const admission = { address: "203.0.113.9", authorization, readOf: null, maxWaitMs: 0 };
  expect(await limiter.admit(admission)).toMatchObject({ kind: "admitted", caller: { keyId: id } });
  await command.run("revokeKey", { id, ...commandActor });
  expect(await limiter.admit(admission)).toEqual({ kind: "unknown" });
  await expect(command.run("revokeKey", { id: "missing", ...commandActor })).rejects.toMatchObject({
    code: "key_not_found",
    hint: expect.any(String),
  });
  await command.close();
  await control.close();
});

test("errors keep their code across threads, and do not affect other calls in the same tick", async () => {
  const control = await startControl({ dataDir });
  const { accountId } = await control.store.write("createKey", params);
  const outcomes = await Promise.allSettled([
    control.store.write("insertJob", makeJob(accountId, "a")),
    control.store.write("revokeKey", { id: "missing", ...commandActor }),
    control.store.write("insertJob", makeJob("missing", "b")),
    control.store.write("insertJob", makeJob(accountId, "c")),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "rejected",
    "fulfilled",
  ]);
  expect(outcomes[1]).toMatchObject({ reason: { code: "key_not_found", status: 404 } });
  const listOptions = {
    accountId,
    before: { submittedMs: 2, uuid: "" },
    states: null,
    methods: null,
    platforms: null,
    text: null,
  };
  const { rows } = await control.store.read("listJobs", { ...listOptions, limit: 10, nowMs: 2 });
  expect(rows.map(({ uuid }) => uuid)).toEqual(["c", "a"]);
  await control.close();
});

test("operations pending when the control store closes are completed", async () => {
  const control = await startControl({ dataDir });
  const creation = control.store.write("createKey", params);
  await control.close();
  const { id } = await creation;
  expect(existsSync(join(dataDir, "control.db-wal"))).toBe(false);
  const command = await openControl({ dataDir });
  expect(await command.run("listKeys", null)).toMatchObject([{ id }]);
  await command.close();
});

test("a control store with a newer schema is refused", async () => {
  await (await startControl({ dataDir })).close();
  const database = new DatabaseSync(join(dataDir, "control.db"));
  database.exec("PRAGMA user_version = 99");
  database.close();
  await expect(startControl({ dataDir })).rejects.toMatchObject({ code: "newer_schema" });
});

test("every acknowledged job survives a kill", async () => {
  const program = `
    import { startControl } from ${JSON.stringify(new URL("./control.ts", import.meta.url).href)};
    const { store } = await startControl({ dataDir: ${JSON.stringify(dataDir)} });
    const { accountId } = await store.write("createKey", ${JSON.stringify(params)});
    for (let n = 0; ; n += 1) {
      const job = ${JSON.stringify(makeJob("", ""))};
      await store.write("insertJob", { ...job, accountId, uuid: String(n) });
      process.stdout.write(n + "\\n");
    }
  `;
  const script = join(parent, "server.mjs");
  writeFileSync(script, program);
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
    if (output.length > 500) child.kill("SIGKILL");
  });
  await once(child, "close");
  const lastNumber = Number(output.split("\n").at(-2));
  expect(lastNumber).toBeGreaterThan(50);
  const control = await startControl({ dataDir });
  const recoveredJobs = await control.store.write("recoverJobs", {
    gateway: "only",
    nowMs: 2,
    lifetimeMs: 1,
  });
  expect(recoveredJobs.length).toBeGreaterThan(lastNumber);
  await control.close();
});
