import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockFolder } from "./folder-lock.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earshot-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

const inUse = expect.objectContaining({ code: "folder_in_use" });

async function startOtherServer(): Promise<ChildProcess> {
  const module = JSON.stringify(new URL("./folder-lock.ts", import.meta.url).href);
  const program = `
    import { lockFolder } from ${module};
    globalThis.lock = lockFolder(${JSON.stringify(folder)}); // Without a reference, it would be garbage-collected.
    console.log("locked");
    process.stdin.on("end", () => setTimeout(process.exit, 300)).resume();
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

test("the folder lock excludes a second server in this process until the first releases it", () => {
  const lock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(inUse);
  lock.release();
  lockFolder(folder).release();
});

test("releasing the folder lock leaves only the lock file, and an unreadable pid file is ignored", () => {
  const lock = lockFolder(folder);
  writeFileSync(join(folder, "lock.pid"), "nonsense\n");
  expect(() => lockFolder(folder)).toThrow(`another server is using ${folder}`);
  lock.release();
  expect(readdirSync(folder)).toEqual(["lock.db"]);
});

test("a waiting process gets the folder lock when its holder exits", async () => {
  const otherProcess = await startOtherServer();
  const exitEvent = once(otherProcess, "exit");
  await new Promise<void>((resolve) => otherProcess.stdin?.end(resolve));
  expect(() => lockFolder(folder)).toThrow(inUse);
  lockFolder(folder, 20_000).release();
  await exitEvent;
});

test("the folder lock excludes a second process until the first is killed", async () => {
  const otherProcess = await startOtherServer();
  expect(() => lockFolder(folder)).toThrow(inUse);
  expect(() => lockFolder(folder)).toThrow(
    `another server (process ${otherProcess.pid} on ${hostname()}) is using ${folder}`,
  );
  const exitEvent = once(otherProcess, "exit");
  otherProcess.kill("SIGKILL");
  await exitEvent;
  lockFolder(folder).release();
});
