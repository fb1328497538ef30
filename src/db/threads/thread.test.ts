import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import { startThread, type Thread } from "./thread.ts";

type AnyMethods = Record<string, (args: unknown) => unknown>;

const folder = mkdtempSync(join(tmpdir(), "earshot-thread-"));
let thread: Thread<AnyMethods> | null = null;
afterEach(async () => {
  await thread?.close();
  thread = null;
});

function makeThread(): Thread<AnyMethods> {
  const file = join(folder, "worker.ts");
  const library = pathToFileURL(join(import.meta.dirname, "serve.ts")).href;
  const errors = pathToFileURL(join(import.meta.dirname, "../../lib/errors.ts")).href;
  writeFileSync(
    file,
    `import { reply, serveBatches, threadData } from ${JSON.stringify(library)};
     import { EarshotError } from ${JSON.stringify(errors)};
     serveBatches((calls) => calls.map((call) => reply(call, ({ method, args }) => {
       if (method === "die") process.exit(7);
       if (method === "fail") throw new EarshotError("no_luck", "it failed", { status: 418, hint: "try again" });
       if (method === "together") return calls.length;
       return [threadData(), args];
     })), () => {});`,
  );
  return startThread(pathToFileURL(file), "its own data");
}

const fetchError = async (call: Promise<unknown>): Promise<EarshotError> => {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof EarshotError))
    throw new Error(`expected an EarshotError, got ${String(error)}`);
  return error;
};

test("a thread receives its start data and each call's arguments", async () => {
  thread = makeThread();
  expect(await thread.call("echo", 2n ** 60n)).toEqual(["its own data", 2n ** 60n]);
});

test("calls made in one turn of the event loop are sent together", async () => {
  thread = makeThread();
  await thread.call("echo", null);
  const calls = [thread.call("together", null), thread.call("together", null)];
  expect(await Promise.all(calls)).toEqual([2, 2]);
});

test("an error in the thread reaches the caller with its code and hint", async () => {
  thread = makeThread();
  expect(await fetchError(thread.call("fail", null))).toMatchObject({
    code: "no_luck",
    status: 418,
    hint: "try again",
  });
});

test("when a thread dies, only its running call fails with thread_died, and the calls behind it fail with thread_restarted", async () => {
  thread = makeThread();
  const [before, dying, behind] = [
    thread.call("echo", 1),
    fetchError(thread.call("die", null)),
    fetchError(thread.call("echo", 2)),
  ];
  await before.catch(() => undefined);
  expect(await dying).toMatchObject({ code: "thread_died", retryable: true });
  expect(await behind).toMatchObject({ code: "thread_restarted", retryable: true });
});

test("a call after a thread's death restarts the thread", async () => {
  thread = makeThread();
  await thread.call("echo", null);
  const dying = fetchError(thread.call("die", null));
  await dying;
  expect(await thread.call("echo", 3)).toEqual(["its own data", 3]);
});

test("a closed thread rejects calls with thread_closed", async () => {
  thread = makeThread();
  await thread.call("echo", 1);
  await thread.close();
  expect(await fetchError(thread.call("echo", 2))).toMatchObject({ code: "thread_closed" });
  rmSync(folder, { recursive: true, force: true });
});

test("the bytes of a `body` are transferred, and those within a larger buffer are copied", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "earshot-thread-")), "worker.ts");
  const library = pathToFileURL(join(import.meta.dirname, "serve.ts")).href;
  writeFileSync(
    file,
    `import { reply, serveInSlices } from ${JSON.stringify(library)};
     const calls = [];
     let last = new Uint8Array(0);
     serveInSlices({
       add: (call) => calls.push(call),
       isIdle: () => calls.length === 0,
       runSlice: () => [reply(calls.shift(), ({ method, args }) => {
         if (method === "left") return last.byteLength;
         last = method === "whole" ? new Uint8Array(args) : new Uint8Array(2 * args).subarray(args);
         return { body: last.fill(1) };
       })],
     }, () => {});`,
  );
  thread = startThread(pathToFileURL(file), null);
  const body = new Uint8Array(3).fill(1);
  expect(await thread.call("whole", 3)).toEqual({ body });
  expect(await thread.call("left", null)).toBe(0);
  expect(await thread.call("part", 3)).toEqual({ body });
  expect(await thread.call("left", null)).toBe(3);
});
