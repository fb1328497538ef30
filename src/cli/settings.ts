import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { EarshotError } from "../lib/errors.ts";
import { type Config, configFrom } from "../server/config.ts";
import { readEnvironment } from "../server/environment.ts";
import type { Terminal } from "./terminal/terminal.ts";

export function readConfig(terminal: Terminal): Config {
  return configFrom(readEnvironment(terminal.environment));
}

/** A data folder without an archive is probably the wrong one. Errors: `no_archive`. */
export function requireDataDir(config: Config): void {
  const { dir } = config.data;
  if (existsSync(join(dir, "archive"))) return;
  throw new EarshotError("no_archive", `no archive in ${resolve(dir)}`, {
    hint: "create one with earshot import or earshot serve, or set EARSHOT_DATA_DIR",
  });
}
