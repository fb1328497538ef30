import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { readOnce } from "./read-once.ts";

test("a failed read is retried, and a successful one is cached", async () => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-test-"));
  const file = join(folder, "page");
  const read = readOnce(pathToFileURL(file));
  await expect(read()).rejects.toThrow("ENOENT");
  await writeFile(file, "text");
  expect(String(await read())).toBe("text");
  await rm(folder, { recursive: true });
  expect(String(await read())).toBe("text");
});
