import { afterEach, expect, test, vi } from "vitest";
import { testTools } from "../../../testkit/upstreams/bluesky-credential.ts";
import { createProofKeys } from "./oauth-key.ts";

afterEach(() => vi.restoreAllMocks());

test("an OAuth key is parsed only once, but again after parsing has failed", async () => {
  const keys = createProofKeys();
  const tools = testTools();
  const key = await keys.make();
  const importKey = vi.spyOn(crypto.subtle, "importKey");
  importKey.mockRejectedValueOnce(new Error("no thread is left"));
  await expect(keys.dpopHandle(key, tools)).rejects.toThrow("no thread is left");
  const proof = await keys.dpopHandle(key, tools);
  const importCalls = importKey.mock.calls.length;
  expect(await keys.dpopHandle(key, tools)).toBe(proof);
  expect(importKey).toHaveBeenCalledTimes(importCalls);
});
