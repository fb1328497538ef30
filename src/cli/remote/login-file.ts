import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { parseUntrustedJson } from "../../lib/bounded-json.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Terminal } from "../terminal.ts";

/** A service and a key for it. */
export type Service = { url: string; key: string };

type Environment = Terminal["environment"];

/** In the user's configuration folder (XDG Base Directory Specification). */
export function loginPath({ XDG_CONFIG_HOME, HOME }: Environment): string {
  return join(XDG_CONFIG_HOME || join(HOME || homedir(), ".config"), "earshot", "login.json");
}

/** Null without a login. Errors: `login_unreadable`. */
export function readLogin(environment: Environment): Service | null {
  const path = loginPath(environment);
  try {
    return serviceOf(parseUntrustedJson(readFileSync(path)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new EarshotError("login_unreadable", `${path} is not a valid login file`, {
      hint: "run earshot logout, then earshot login",
    });
  }
}

function serviceOf(value: unknown): Service {
  if (typeof value === "object" && value !== null && "url" in value && "key" in value) {
    const { url, key } = value;
    if (typeof url === "string" && URL.canParse(url) && typeof key === "string" && key !== "") {
      return { url, key };
    }
  }
  throw new Error("a login requires a url and a key");
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
