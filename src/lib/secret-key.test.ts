import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureSecretKey, readSecretKey } from "./secret-key.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earshot-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const key = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index));

test.each([
  ["base64", key.toString("base64")],
  ["base64 without padding", key.toString("base64").replace("=", "")],
  ["base64url", key.toString("base64url")],
  ["hexadecimal", key.toString("hex")],
  ["hexadecimal in upper case, with a line terminator", `${key.toString("hex").toUpperCase()}\n`],
])("a secret key is read from %s", (_, text) => {
  expect(readSecretKey(text)).toEqual(key);
});

test.each([
  "",
  "secret",
  key.toString("hex").slice(2),
  key.subarray(1).toString("base64"),
  Buffer.concat([key, key]).toString("base64"),
  `${key.toString("base64").slice(0, -2)}!=`,
])("%j is not a secret key", (text) => {
  expect(readSecretKey(text)).toBeNull();
});

test("a folder's secret key is created once, private to its owner, and leaves no other files", () => {
  const created = ensureSecretKey(folder, randomBytes, false);
  expect(created).toHaveLength(32);
  expect(ensureSecretKey(folder, randomBytes, false)).toEqual(created);
  expect(readdirSync(folder)).toEqual(["secret.key"]);
  expect(statSync(join(folder, "secret.key")).mode & 0o777).toBe(0o600);
});

test("an invalid key file is neither changed nor repeated in the error", () => {
  const path = join(folder, "secret.key");
  writeFileSync(path, "half-a-key");
  try {
    ensureSecretKey(folder, randomBytes, false);
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({ code: "secret_key_unreadable" });
    expect(String(error)).toContain(path);
    expect(String(error)).not.toContain("half-a-key");
  }
  expect(readFileSync(path, "utf8")).toBe("half-a-key");
});

test("concurrent processes agree on one secret key", async () => {
  const module = JSON.stringify(new URL("./secret-key.ts", import.meta.url).href);
  const program = `
    import { randomBytes } from "node:crypto";
    import { ensureSecretKey } from ${module};
    const dir = ${JSON.stringify(folder)};
    process.stdin.once("data", () => {
      console.log(Buffer.from(ensureSecretKey(dir, randomBytes, false)).toString("hex"));
      process.exit();
    });
    console.log("ready");
  `;
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  await Promise.all(children.map((child) => once(child.stdout, "data")));
  const results = Promise.all(
    children.map(async (child) => String((await once(child.stdout, "data"))[0]).trim()),
  );
  for (const child of children) child.stdin.write("go\n");
  const keys = new Set(await results);
  expect([...keys]).toEqual([
    Buffer.from(ensureSecretKey(folder, randomBytes, false)).toString("hex"),
  ]);
});

test("no secret key is created if data is encrypted with a missing one", () => {
  const created = ensureSecretKey(folder, randomBytes, false);
  expect(ensureSecretKey(folder, randomBytes, true)).toEqual(created);
  rmSync(join(folder, "secret.key"));
  expect(() => ensureSecretKey(folder, randomBytes, true)).toThrow(
    expect.objectContaining({
      code: "secret_key_missing",
      hint: expect.stringContaining("restore the file"),
    }),
  );
  expect(readdirSync(folder)).toEqual([]);
});
