import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Headers } from "undici";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import { loadDictionary } from "../live-ingest.ts";

const bytes = Buffer.alloc(200, "dictionary");
bytes.writeUInt32LE(0xec30a437, 0);
bytes.writeUInt32LE(77, 4);
const expectedDictionary = {
  id: 77,
  bytes: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
};
const url = "https://dictionaries.example/77";

let folder: string;
let path: string;
let servedResponse: { status: number; body: Uint8Array };
let fetches: { maxBytes: number | undefined }[];

const fetch: GuardedFetch = async (_url, options) => {
  fetches.push({ maxBytes: options?.maxBytes });
  const { status, body } = servedResponse;
  return { status, body, headers: new Headers(), text: () => "", json: () => null };
};
const load = () =>
  loadDictionary({
    path,
    url,
    fetch,
    expectedDictionary,
    timeoutMs: 1,
    signal: new AbortController().signal,
  });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earshot-dictionary-"));
  path = join(folder, "data", "jetstream.zdict");
  servedResponse = { status: 200, body: bytes };
  fetches = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("the compression dictionary is fetched once, limited to its expected size, and stored", async () => {
  expect(await load()).toEqual(bytes);
  expect(readFileSync(path)).toEqual(bytes);
  expect(await load()).toEqual(bytes);
  expect(fetches).toEqual([{ maxBytes: 200 }]);
});

test("the compression dictionary is fetched again when its file is damaged", async () => {
  await load();
  for (const damaged of [bytes.subarray(1), Buffer.alloc(200), Buffer.alloc(0)]) {
    writeFileSync(path, damaged);
    expect(await load()).toEqual(bytes);
  }
  expect(fetches).toHaveLength(4);
});

test.each([
  ["an error status", { status: 404, body: bytes }, "dictionaries.example returned HTTP 404"],
  [
    "one changed byte",
    { status: 200, body: Buffer.concat([bytes.subarray(0, -1), Buffer.from("x")]) },
    "dictionaries.example did not send dictionary 77",
  ],
  [
    "an empty body",
    { status: 200, body: Buffer.alloc(0) },
    "dictionaries.example did not send dictionary 77",
  ],
])(
  "the compression dictionary is rejected and not stored if the server returns %s",
  async (_what, response, message) => {
    servedResponse = response;
    await expect(load()).rejects.toThrow(message);
    expect(existsSync(path)).toBe(false);
  },
);
