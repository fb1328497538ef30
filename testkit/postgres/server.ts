import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export type ConnectedPostgres = {
  /** The address of a fresh one. */
  createDatabase(): Promise<string>;
};

/** To a server whose socket is in the folder. */
export function connectPostgres(folder: string): ConnectedPostgres {
  return {
    createDatabase: async () => {
      const name = `earshot_${randomBytes(6).toString("hex")}`;
      await run(join(requiredBinaries(), "createdb"), ["-h", folder, "-U", "earshot", name]);
      return `postgres://earshot@localhost/${name}?host=${encodeURIComponent(folder)}`;
    },
  };
}

/** A PostgreSQL server of this machine's packages, on a socket in a temporary folder. */
export type PostgresServer = ConnectedPostgres & {
  folder: string;
  stop(signal?: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
  /** To the server and its sessions, such as `SIGSTOP`. */
  signalAll(signal: NodeJS.Signals): void;
  /** As superuser. */
  query(sql: string): Promise<void>;
  remove(): Promise<void>;
};

/** Debian installs them beside the path, by version. */
function binaries(): string | null {
  const packages = "/usr/lib/postgresql";
  const versions = existsSync(packages) ? readdirSync(packages) : [];
  const newest = versions.toSorted((one, other) => Number(other) - Number(one))[0];
  return newest === undefined ? null : join(packages, newest, "bin");
}

function requiredBinaries(): string {
  const found = binaries();
  if (found === null) throw new Error("PostgreSQL is not installed: apt-get install postgresql");
  return found;
}

/** PostgreSQL refuses to run as root. */
async function owner(): Promise<{ uid: number; gid: number } | null> {
  if (process.getuid?.() !== 0) return null;
  const [uid, gid] = await Promise.all(
    ["-u", "-g"].map(async (flag) => Number((await run("id", [flag, "postgres"])).stdout)),
  );
  return { uid: uid ?? 0, gid: gid ?? 0 };
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);

export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  const bin = requiredBinaries();
  const folder = mkdtempSync(join(tmpdir(), "earshot-postgres-"));
  const as = await owner();
  if (as !== null) chownSync(folder, as.uid, as.gid);
  const data = join(folder, "data");
  const command = (name: string, args: readonly string[]) =>
    run(join(bin, name), args, { ...(as ?? {}), cwd: folder });
  await command("initdb", ["-D", data, "-U", "earshot", "-A", "trust", "-E", "UTF8", "--no-sync"]);
  let server: ChildProcess | null = null;

  async function start(): Promise<void> {
    const flags = ["-D", data, "-k", folder, "-h", "", ...settings.flatMap((each) => ["-c", each])];
    server = spawn(join(bin, "postgres"), flags, { ...(as ?? {}), cwd: folder, stdio: "ignore" });
    for (let isReady = false; !isReady; ) {
      isReady = await command("pg_isready", ["-h", folder, "-U", "earshot", "-q"]).then(
        () => true,
        () => false,
      );
      if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}`);
    }
  }

  /** `SIGINT` ends connections; `SIGQUIT` is a crash. */
  async function stop(signal: NodeJS.Signals = "SIGINT"): Promise<void> {
    const stopping = server;
    if (stopping === null || stopping.exitCode !== null) return;
    const ended = new Promise((resolve) => stopping.once("exit", resolve));
    stopping.kill(signal);
    await ended;
    server = null;
  }

  await start();
  return {
    ...connectPostgres(folder),
    folder,
    start,
    stop,
    signalAll: (signal) => {
      for (const pid of [server?.pid ?? 0, ...childrenOf(server?.pid ?? 0)])
        process.kill(pid, signal);
    },
    query: async (sql) => {
      await command("psql", ["-h", folder, "-U", "earshot", "-d", "postgres", "-qc", sql]);
    },
    remove: async () => {
      await stop("SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
