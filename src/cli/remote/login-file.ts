import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod";
import { parseUntrustedJson } from "../../lib/bounded-json.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Terminal } from "../terminal.ts";

const service = z.object({ url: z.url({ protocol: /^https?$/ }), key: z.string().min(1) });

/** A service and a key for it. */
export type Service = z.output<typeof service>;

type Environment = Terminal["environment"];

/** In the user's configuration folder (XDG Base Directory Specification). */
export function loginPath({ XDG_CONFIG_HOME, HOME }: Environment): string {
  return join(XDG_CONFIG_HOME || join(HOME || homedir(), ".config"), "earshot", "login.json");
}

/** Null if nobody logged in. Errors: `login_unreadable`. */
export function readLogin(environment: Environment): Service | null {
  const path = loginPath(environment);
  try {
    return service.parse(parseUntrustedJson(readFileSync(path)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new EarshotError("login_unreadable", `${path} cannot be read as a login`, {
      hint: "earshot logout removes it; then earshot login writes a new one",
    });
  }
}

/** Only the user may read it: it contains the key. */
export function writeLogin(environment: Environment, login: Service): void {
  const path = loginPath(environment);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
}

export function removeLogin(environment: Environment): void {
  rmSync(loginPath(environment), { force: true });
}
