import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { backUpControl } from "./back-up-control.ts";
import { type Control, openControl, startControl } from "./control.ts";
import { checksumPath, checksumProblem } from "./control-checksum.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-"));
const dataDir = join(folder, "data");
let control: Control;

beforeAll(async () => {
  control = await startControl({ dataDir, secretKey: null });
});
afterAll(async () => {
  await control.close();
  rmSync(folder, { recursive: true });
});

const makeKey = (name: string) =>
  control.store.write("createKey", {
    name,
    accountName: null,
    requestsPerSecond: null,
    submissionsPerMinute: null,
    nowMs: 1,
  });

test("a backup taken while the server is running contains the data committed before it and can be opened", async () => {
  const { token } = await makeKey("laptop");
  const file = join(folder, "copy.db");
  const backupSize = backUpControl(join(dataDir, "control.db"), file);
  await Promise.all([backupSize, ...Array.from({ length: 50 }, (_, n) => makeKey(`other ${n}`))]);
  expect(await backupSize).toBe(statSync(file).size);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).toSorted()).toEqual(["copy.db", "copy.db.sha256", "data"]);

  const restoredDir = join(folder, "restored");
  mkdirSync(restoredDir);
  copyFileSync(file, join(restoredDir, "control.db"));
  const restoredControl = await openControl({ dataDir: restoredDir });
  const keys = await restoredControl.run("listKeys", null);
  await restoredControl.close();
  expect(keys.map(({ name }) => name)).toContain("laptop");
  expect(token).toContain(keys.find(({ name }) => name === "laptop")?.id ?? "nothing");
});

test("a backup of the control store fails if its file exists, or without a control store or a target folder", async () => {
  const file = join(folder, "data", "control.db");
  await expect(backUpControl(join(dataDir, "control.db"), file)).rejects.toMatchObject({
    code: "backup_exists",
  });
  await expect(
    backUpControl(join(folder, "control.db"), join(folder, "none.db")),
  ).rejects.toMatchObject({
    code: "no_control_store",
  });
  await expect(
    backUpControl(join(dataDir, "control.db"), join(folder, "no", "none.db")),
  ).rejects.toMatchObject({
    code: "no_folder",
    hint: "create it, or mount its disk",
  });
  expect(readdirSync(folder)).not.toContain("none.db");
});

test("a backup of the control store is verified by its checksum", async () => {
  const file = join(folder, "verified.db");
  await backUpControl(join(dataDir, "control.db"), file);
  expect(await checksumProblem(file)).toBeNull();
  const [checksum, name] = readFileSync(checksumPath(file), "utf8").trim().split("  ");
  expect(checksum).toMatch(/^[0-9a-f]{64}$/);
  expect(name).toBe("verified.db");
  appendFileSync(file, "x");
  expect(await checksumProblem(file)).toMatch(/does not match the SHA-256/);
  rmSync(checksumPath(file));
  expect(await checksumProblem(file)).toMatch(/sha256 is missing/);
});
