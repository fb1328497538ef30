import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockFolder } from "./folder-lock.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earshot-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

const inUse = expect.objectContaining({ code: "folder_in_use" });

/** Another process that holds the folder until it is killed. */
async function otherServer(): Promise<ChildProcess> {
  const module = JSON.stringify(new URL("./folder-lock.ts", import.meta.url).href);
  const program = `
    import { lockFolder } from ${module};
    lockFolder(${JSON.stringify(folder)});
    console.log("held");
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

test("a second server in this process is refused until the first lets go", () => {
  const lock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(inUse);
  lock.release();
  lockFolder(folder).release();
});

test("a second process is refused, and let in once the first was killed", async () => {
  const other = await otherServer();
  expect(() => lockFolder(folder)).toThrow(inUse);
  const gone = once(other, "exit");
  other.kill("SIGKILL");
  await gone;
  lockFolder(folder).release();
});
