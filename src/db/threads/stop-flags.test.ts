import { expect, test } from "vitest";
import { isStopped, StopFlags } from "./thread.ts";

const reason = new Error("the caller gave up");

test("a stop flag is set on abort, and cleared for reuse when the call settles", async () => {
  const flags = new StopFlags();
  const aborted = new AbortController();
  const result = Promise.withResolvers<string>();
  let usedFlags: number | undefined;
  const call = flags.runStoppable(aborted.signal, (flag) => {
    usedFlags = flag;
    return result.promise;
  });
  expect(isStopped(flags.sharedFlags, usedFlags)).toBe(false);
  aborted.abort(reason);
  await expect(call).rejects.toBe(reason);
  expect(isStopped(flags.sharedFlags, usedFlags)).toBe(true);
  result.resolve("too late");
  await new Promise(setImmediate);
  expect(isStopped(flags.sharedFlags, usedFlags)).toBe(false);
  const again = flags.runStoppable(new AbortController().signal, async (flag) => flag);
  expect(await again).toBe(usedFlags);
});

test("a call with a stop flag passes on its result or error, and an already aborted signal prevents it", async () => {
  const flags = new StopFlags();
  const { signal } = new AbortController();
  expect(await flags.runStoppable(signal, async () => "found")).toBe("found");
  const error = new Error("it broke");
  await expect(flags.runStoppable(signal, () => Promise.reject(error))).rejects.toBe(error);
  const call = () => Promise.reject(new Error("was called"));
  await expect(flags.runStoppable(AbortSignal.abort(reason), call)).rejects.toBe(reason);
});

test("calls beyond the number of stop flags run without one", async () => {
  const flags = new StopFlags();
  const { signal } = new AbortController();
  const release = Promise.withResolvers<void>();
  const usedFlags = new Set<number | undefined>();
  const calls = Array.from({ length: flags.sharedFlags.length + 5 }, () =>
    flags.runStoppable(signal, async (flag) => {
      usedFlags.add(flag);
      await release.promise;
    }),
  );
  expect(usedFlags.size).toBe(flags.sharedFlags.length + 1);
  expect(usedFlags.has(undefined)).toBe(true);
  release.resolve();
  await Promise.all(calls);
});
