import { randomBytes } from "node:crypto";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadNodeKeys } from "./self.ts";

const identityKey = async (dataDir: string) =>
  (await loadNodeKeys(dataDir, randomBytes)).identity.publicKey;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-identity-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a node has the same identity in each run, from a file that only its owner can read", async () => {
  expect(await identityKey(folder)).toBe(await identityKey(folder));
  expect((await stat(join(folder, "node.key"))).mode & 0o777).toBe(0o600);
});

test("a node in a different folder has a different identity", async () => {
  const otherFolder = await mkdtemp(join(tmpdir(), "earshot-identity-"));
  expect(await identityKey(otherFolder)).not.toBe(await identityKey(folder));
  await rm(otherFolder, { recursive: true });
});

test("an identity file without a valid key causes an error that does not reveal the file's content", async () => {
  await writeFile(join(folder, "node.key"), "open sesame\n");
  await expect(loadNodeKeys(folder, randomBytes)).rejects.toEqual(
    expect.objectContaining({
      code: "identity_unreadable",
      message: expect.not.stringContaining("sesame"),
      hint: expect.stringContaining("restore the file"),
    }),
  );
});
