import { randomBytes } from "node:crypto";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureIdentity } from "./identity-file.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-identity-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a node is the same from run to run, by a file that its owner alone can read", async () => {
  const first = ensureIdentity(folder, randomBytes);
  expect(ensureIdentity(folder, randomBytes).key).toBe(first.key);
  expect((await stat(join(folder, "node.key"))).mode & 0o777).toBe(0o600);
});

test("another folder is another node", async () => {
  const other = await mkdtemp(join(tmpdir(), "earshot-identity-"));
  expect(ensureIdentity(other, randomBytes).key).not.toBe(ensureIdentity(folder, randomBytes).key);
  await rm(other, { recursive: true });
});

test("a file that holds no key is refused with its path, and never with what it says", async () => {
  await writeFile(join(folder, "node.key"), "open sesame\n");
  expect(() => ensureIdentity(folder, randomBytes)).toThrow(
    expect.objectContaining({
      code: "identity_unreadable",
      message: expect.not.stringContaining("sesame"),
      hint: expect.stringContaining("put back the file"),
    }),
  );
});
