import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { program } from "../service/server-process.ts";

/** The first two attempts at each import may be killed. */
export type KilledImports = {
  readonly texts: ReadonlySet<string>;
  readonly kills: () => number;
  run(): Promise<void>;
};

const fileCount = 6;
const postsPerFile = 2_500;
const timeoutMs = 120_000;

/** Occurs only in imported posts. */
export const importWord = "barge";

export function prepareKilledImports(
  folder: string,
  environment: NodeJS.ProcessEnv,
  random: () => number,
): KilledImports {
  const texts = new Set<string>();
  const paths = Array.from({ length: fileCount }, (_, file) => writeFile(file));
  let kills = 0;

  function writeFile(file: number): string {
    const lines = Array.from({ length: postsPerFile }, (_, n) => {
      const number = file * postsPerFile + n;
      const atMs = Date.UTC(2023, 0, 1) + number * 30_000;
      const text = `${importWord} number ${number}`;
      texts.add(text);
      return JSON.stringify({
        id: String((BigInt(atMs - 1_288_834_974_657) << 22n) + BigInt(n)),
        author: `skipper${number % 9}`,
        created_at: new Date(atMs).toISOString(),
        text,
      });
    });
    const path = join(folder, `import-${file}.ndjson`);
    writeFileSync(path, `${lines.join("\n")}\n`);
    return path;
  }

  async function importOnce(path: string, killAfterMs: number | null): Promise<boolean> {
    const child = spawn(process.execPath, [program, "import", path, "--platform", "x"], {
      env: environment,
      stdio: "ignore",
    });
    const killTimer =
      killAfterMs === null ? null : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
    if (killTimer !== null) clearTimeout(killTimer);
    if (signal === "SIGKILL") kills += 1;
    return code === 0;
  }

  async function run(): Promise<void> {
    for (const path of paths) {
      const deadlineMs = performance.now() + timeoutMs;
      let attempts = 0;
      while (!(await importOnce(path, attempts < 2 ? 400 + random() * 900 : null))) {
        attempts += 1;
        if (performance.now() > deadlineMs)
          throw new Error(`${attempts} imports of ${path} failed`);
        // The disk is full, or the server is starting.
        await sleep(200);
      }
      await sleep(random() * 3_000);
    }
  }

  return { texts, kills: () => kills, run };
}
