import { spawn } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../bench/measure.ts";
import { freePort } from "../service/free-port.ts";
import { makeEnvironment, program } from "../service/server-process.ts";
import { until } from "../until.ts";
import { damageFile } from "./damage-file.ts";

export type FolderDamage = {
  name: string;
  change(dataDir: string, older: string, seed: number): string;
};

const damageIn =
  (path: string, damage: "flipped bit" | "zeroed page" | "copied page" | "truncated" | "missing") =>
  (dataDir: string, _older: string, seed: number): string =>
    damageFile(join(dataDir, path), damage, seededRandom(seed), null);

const flipByte = (dataDir: string, name: string, seed: number): string => {
  const path = join(dataDir, name);
  const bytes = readFileSync(path);
  const index = Math.floor(seededRandom(seed)() * bytes.length);
  bytes[index] = (bytes[index] ?? 0) ^ 4;
  writeFileSync(path, bytes);
  return `byte ${index}`;
};

const runAndDescribe = (description: string, work: () => void): string => {
  work();
  return description;
};

export const folderDamageCases: readonly FolderDamage[] = [
  { name: "control.db × flipped bit", change: damageIn("control.db", "flipped bit") },
  { name: "control.db × zeroed page", change: damageIn("control.db", "zeroed page") },
  { name: "control.db × copied page", change: damageIn("control.db", "copied page") },
  { name: "control.db × truncated", change: damageIn("control.db", "truncated") },
  { name: "control.db × missing", change: damageIn("control.db", "missing") },
  {
    name: "control.db × older",
    change: (dataDir, older) =>
      runAndDescribe("copied from earlier", () =>
        copyFileSync(join(older, "control.db"), join(dataDir, "control.db")),
      ),
  },
  {
    name: "secret.key × missing",
    change: (dataDir) => runAndDescribe("removed", () => rmSync(join(dataDir, "secret.key"))),
  },
  {
    name: "secret.key × flipped bit",
    change: (dataDir, _, seed) => flipByte(dataDir, "secret.key", seed),
  },
  {
    name: "secret.key × truncated",
    change: (dataDir) =>
      runAndDescribe("to nothing", () => truncateSync(join(dataDir, "secret.key"), 0)),
  },
  {
    name: "side files × garbage -shm",
    change: (dataDir) =>
      runAndDescribe("control and catalog", () => {
        for (const name of ["control.db-shm", "archive/catalog.db-shm"]) {
          writeFileSync(join(dataDir, name), Buffer.alloc(32_768, 0xa5));
        }
      }),
  },
  {
    name: "side files × garbage -wal",
    change: (dataDir) =>
      runAndDescribe("control and catalog", () => {
        for (const name of ["control.db-wal", "archive/catalog.db-wal"]) {
          writeFileSync(join(dataDir, name), Buffer.alloc(20_000, 0xa5));
        }
      }),
  },
  {
    name: "markers × every segment marked damaged",
    change: (dataDir) =>
      runAndDescribe("x/000001.damaged", () =>
        writeFileSync(join(dataDir, "archive", "x", "000001.damaged"), ""),
      ),
  },
  {
    name: "markers × store ids missing",
    change: (dataDir) =>
      runAndDescribe("archive.id and control.id", () => {
        for (const name of ["archive.id", "control.id"]) {
          rmSync(join(dataDir, name), { force: true });
        }
      }),
  },
  {
    name: "markers × garbage appended to store ids",
    change: (dataDir) =>
      runAndDescribe("archive.id and control.id", () => {
        for (const name of ["archive.id", "control.id"]) {
          if (existsSync(join(dataDir, name))) appendFileSync(join(dataDir, name), "x");
        }
      }),
  },
];

export type ServiceAnswers = ReadonlyMap<string, { body: string; complete: boolean }>;

export type ServiceOutcome = {
  name: string;
  location: string;
  /** The output of a server that did not start, or null if it did. */
  refusal: string | null;
  wrongAnswers: readonly string[];
  counts: Readonly<Record<string, number>>;
};

export async function queryService(
  dataDir: string,
  key: string,
  uuids: readonly string[],
): Promise<{ refusal: string | null; answers: ServiceAnswers }> {
  const port = await freePort();
  const child = spawn(process.execPath, [program, "serve"], {
    env: makeEnvironment(dataDir, { EARSHOT_PORT: String(port) }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data) => {
      output += String(data);
    });
  }
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  try {
    const base = `http://127.0.0.1:${port}`;
    const state = await until(
      "the server is ready or has ended",
      async () => ((await isReady(base)) ? "ready" : child.exitCode === null ? null : "ended"),
      300_000,
    );
    if (state === "ended") {
      await ended;
      return { refusal: output, answers: new Map() };
    }
    return { refusal: null, answers: await fetchAnswers(base, key, uuids) };
  } finally {
    if (child.exitCode === null) child.kill("SIGTERM");
    await ended;
  }
}

async function isReady(base: string): Promise<boolean> {
  try {
    return (await fetch(`${base}/readyz`)).ok;
  } catch {
    return false;
  }
}

export const words = ["comet", "moon", "tide"] as const;

async function fetchAnswers(
  base: string,
  key: string,
  uuids: readonly string[],
): Promise<ServiceAnswers> {
  const answers = new Map<string, { body: string; complete: boolean }>();
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  for (const query of words) {
    const body = JSON.stringify(makeSearch(query));
    const response = await fetch(`${base}/v1/search/social`, { method: "POST", headers, body });
    const text = await response.text();
    const parsed = response.ok ? JSON.parse(text) : null;
    answers.set(`search ${query}`, {
      body: parsed === null ? `${response.status}` : JSON.stringify(parsed.results),
      complete: parsed !== null && parsed.complete === true,
    });
  }
  for (const uuid of uuids) {
    const response = await fetch(`${base}/v1/search/live/social/result/${uuid}`, { headers });
    const text = await response.text();
    const isComplete = (response.headers.get("x-coverage") ?? "").startsWith("complete,");
    answers.set(`result ${uuid}`, {
      body: response.ok ? text : `${response.status}`,
      complete: response.status === 200 && isComplete,
    });
  }
  return answers;
}

export const makeSearch = (query: string) => ({
  type: "x",
  arguments: {
    type: "searchbyfullarchive",
    query,
    max_results: 50,
    start_time: "2026-01-01T00:00:00Z",
    end_time: "2026-01-02T00:00:00Z",
  },
});

export async function runServiceTrial(
  damage: FolderDamage,
  seed: number,
  folders: { healthy: string; older: string; trial: string },
  { key, uuids }: { key: string; uuids: readonly string[] },
  truth: ServiceAnswers,
): Promise<ServiceOutcome> {
  const { healthy, older, trial } = folders;
  rmSync(trial, { recursive: true, force: true });
  cpSync(healthy, trial, { recursive: true });
  const location = damage.change(trial, older, seed);
  const { refusal, answers } = await queryService(trial, key, uuids);
  const counts: Record<string, number> = {};
  const wrongAnswers: string[] = [];
  for (const [name, expected] of truth) {
    const answer = answers.get(name);
    const outcome =
      answer === undefined
        ? "not started"
        : answer.body === expected.body
          ? "correct"
          : answer.complete
            ? "wrong"
            : "refused or partial";
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    if (outcome === "wrong") wrongAnswers.push(name);
  }
  return { name: damage.name, location, refusal, wrongAnswers, counts };
}
