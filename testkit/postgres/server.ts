import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export type ConnectedPostgres = {
  createDatabase(): Promise<string>;
};

export function connectPostgres(folder: string, port: number | null = null): ConnectedPostgres {
  return {
    createDatabase: async () => {
      const name = `earshot_${randomBytes(6).toString("hex")}`;
      const connectionArgs = ["-h", folder, "-p", String(port ?? defaultPort), "-U", "earshot"];
      await run(join(requireBinaries(), "createdb"), [...connectionArgs, name]);
      if (port !== null) return `postgres://earshot@127.0.0.1:${port}/${name}`;
      return `postgres://earshot@localhost/${name}?host=${encodeURIComponent(folder)}`;
    },
  };
}

/** A server from this machine's packages. */
export type PostgresServer = ConnectedPostgres & {
  folder: string;
  stop(signal?: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
  /** Signals the server and its sessions. */
  signalAll(signal: NodeJS.Signals): void;
  query(sql: string): Promise<void>;
  remove(): Promise<void>;
};

/** Debian installs the programs outside PATH. */
function findBinaries(): string | null {
  const packages = "/usr/lib/postgresql";
  const versions = existsSync(packages) ? readdirSync(packages) : [];
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0];
  return newest === undefined ? null : join(packages, newest, "bin");
}

function requireBinaries(): string {
  const folder = findBinaries();
  if (folder === null) throw new Error("PostgreSQL is not installed: apt-get install postgresql");
  return folder;
}

/** PostgreSQL refuses to run as root. */
async function findOwner(): Promise<{ uid: number; gid: number } | null> {
  if (process.getuid?.() !== 0) return null;
  const [uid, gid] = await Promise.all(
    ["-u", "-g"].map(async (flag) => Number((await run("id", [flag, "postgres"])).stdout)),
  );
  return { uid: uid ?? 0, gid: gid ?? 0 };
}

const readChildren = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);

/** A backend may have ended since it was listed. */
function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

const defaultPort = 5432;

/** If given a port, also listens on 127.0.0.1. */
export async function startPostgres(
  settings: readonly string[] = [],
  port: number | null = null,
): Promise<PostgresServer> {
  const files = await newFolder();
  await files.command("initdb", [
    ...["-D", files.data, "-U", "earshot", "-A", "trust", "-E", "UTF8", "--no-sync"],
  ]);
  return await launchServer(files, settings, port);
}

/** Commits wait for the standby until it is promoted. */
export async function startStandby(
  primary: PostgresServer,
  primaryPort: number,
  port: number,
): Promise<PostgresServer & { promote(): Promise<void> }> {
  const files = await newFolder();
  await files.command("pg_basebackup", [
    ...["-h", primary.folder, "-p", String(primaryPort), "-U", "earshot", "-D", files.data],
    ...["-R", "-X", "stream", "--checkpoint=fast", "--no-sync"],
  ]);
  const standby = await launchServer(files, [], port);
  await primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await primary.query("SELECT pg_reload_conf()");
  return { ...standby, promote: () => standby.query("SELECT pg_promote()") };
}

type DataFolder = {
  folder: string;
  data: string;
  command(name: string, args: readonly string[]): Promise<unknown>;
  run(name: string, args: readonly string[]): ChildProcess;
};

async function newFolder(): Promise<DataFolder> {
  const bin = requireBinaries();
  const folder = mkdtempSync(join(tmpdir(), "earshot-postgres-"));
  const user = await findOwner();
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const options = { ...(user ?? {}), cwd: folder };
  return {
    folder,
    data: join(folder, "data"),
    command: (name, args) => run(join(bin, name), args, options),
    run: (name, args) => spawn(join(bin, name), args, { ...options, stdio: "ignore" }),
  };
}

async function launchServer(
  { folder, data, command, run: spawnProgram }: DataFolder,
  settings: readonly string[],
  port: number | null,
): Promise<PostgresServer> {
  const connectionArgs = ["-h", folder, "-p", String(port ?? defaultPort), "-U", "earshot"];
  let server: ChildProcess | null = null;

  async function start(): Promise<void> {
    const listenArgs = port === null ? ["-h", ""] : ["-h", "127.0.0.1", "-p", String(port)];
    const flags = ["-D", data, "-k", folder, ...listenArgs];
    server = spawnProgram("postgres", [
      ...flags,
      ...settings.flatMap((setting) => ["-c", setting]),
    ]);
    for (let isReady = false; !isReady; ) {
      isReady = await command("pg_isready", [...connectionArgs, "-q"]).then(
        () => true,
        () => false,
      );
      if (server.exitCode !== null) throw new Error(`PostgreSQL exited with ${server.exitCode}`);
    }
  }

  /** `SIGQUIT` acts as a crash. */
  async function stop(signal: NodeJS.Signals = "SIGINT"): Promise<void> {
    const child = server;
    if (child === null || child.exitCode !== null) return;
    const exit = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await exit;
    server = null;
  }

  await start();
  return {
    ...connectPostgres(folder, port),
    folder,
    start,
    stop,
    signalAll: (signal) => {
      const postmaster = server?.pid ?? 0;
      process.kill(postmaster, signal);
      for (const pid of readChildren(postmaster)) signalIfAlive(pid, signal);
    },
    query: async (sql) => {
      await command("psql", [...connectionArgs, "-d", "postgres", "-qc", sql]);
    },
    remove: async () => {
      await stop("SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
