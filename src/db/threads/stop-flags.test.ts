import { expect, test } from "vitest";
import { isStopped, StopFlags } from "./stop-flags.ts";

const reason = new Error("nobody waits");

test("a stop flag is set on abort, and cleared with the answer for reuse", async () => {
  const flags = new StopFlags();
  const aborted = new AbortController();
  const answer = Promise.withResolvers<string>();
  let usedFlags: number | undefined;
  const call = flags.during(aborted.signal, (flag) => {
    usedFlags = flag;
    return answer.promise;
  });
  expect(isStopped(flags.shared, usedFlags)).toBe(false);
  aborted.abort(reason);
  await expect(call).rejects.toBe(reason);
  expect(isStopped(flags.shared, usedFlags)).toBe(true);
  answer.resolve("too late");
  await new Promise(setImmediate);
  expect(isStopped(flags.shared, usedFlags)).toBe(false);
  const again = flags.during(new AbortController().signal, async (flag) => flag);
  expect(await again).toBe(usedFlags);
});

test("answers and errors pass through, and an aborted signal prevents the call", async () => {
  const flags = new StopFlags();
  const { signal } = new AbortController();
  expect(await flags.during(signal, async () => "found")).toBe("found");
  const error = new Error("it broke");
  await expect(flags.during(signal, () => Promise.reject(error))).rejects.toBe(error);
  const call = () => Promise.reject(new Error("was called"));
  await expect(flags.during(AbortSignal.abort(reason), call)).rejects.toBe(reason);
});

test("calls beyond the number of stop flags run without one", async () => {
  const flags = new StopFlags();
  const { signal } = new AbortController();
  const release = Promise.withResolvers<void>();
  const usedFlags = new Set<number | undefined>();
  const calls = Array.from({ length: flags.shared.length + 5 }, () =>
    flags.during(signal, async (flag) => {
      usedFlags.add(flag);
      await release.promise;
    }),
  );
  expect(usedFlags.size).toBe(flags.shared.length + 1);
  expect(usedFlags.has(undefined)).toBe(true);
  release.resolve();
  await Promise.all(calls);
});
