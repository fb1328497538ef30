import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const bin = join(import.meta.dirname, "../..", "bin", "earshot.mjs");

export type Program = {
  start(args: readonly string[], environment?: Record<string, string>): Run;
  earshot(
    args: readonly string[],
    environment?: Record<string, string>,
    input?: string,
  ): Promise<ExitStatus & { out: string; notes: string }>;
};

export type Run = {
  child: ChildProcess;
  out: () => string;
  notes: () => string;
  ended: Promise<ExitStatus>;
};
type ExitStatus = { code: number | null; signal: string | null };

/** The program's folder is removed after the tests in the file. */
export function createTestProgram(): Program & { folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "earshot-process-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, ...programIn(folder) };
}

function programIn(folder: string): Program {
  function start(args: readonly string[], environment: Record<string, string> = {}): Run {
    const child = spawn(process.execPath, [bin, ...args], {
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        TMPDIR: folder,
        EARSHOT_DATA_DIR: join(folder, "data"),
        EARSHOT_PORT: "0",
        EARSHOT_INGEST: "off",
        EARSHOT_LOG_LEVEL: "silent",
        ...environment,
      },
    });
    let out = "";
    let notes = "";
    child.stdout?.on("data", (text) => {
      out += text;
    });
    child.stderr?.on("data", (text) => {
      notes += text;
    });
    const ended = once(child, "close").then(([code, signal]) => ({ code, signal }));
    return { child, out: () => out, notes: () => notes, ended };
  }

  return {
    start,
    earshot: async (args, environment = {}, input = "") => {
      const run = start(args, environment);
      run.child.stdin?.end(input);
      return { ...(await run.ended), out: run.out(), notes: run.notes() };
    },
  };
}

/** Rejects if the process ends first. */
export function waitForOutput(run: Run, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const check = () => {
      const match = pattern.exec(run.out());
      if (match) resolve(match[1] ?? match[0]);
    };
    run.child.stdout?.on("data", check);
    const rejectAsEnded = () =>
      reject(new Error(`exited without printing ${pattern}: ${run.out()}${run.notes()}`));
    run.ended.then(rejectAsEnded, reject);
    check();
  });
}
