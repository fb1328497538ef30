import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { parseUntrustedJson } from "../../lib/bounded-json.ts";
import { EarshotError } from "../../lib/errors.ts";
import { wrongUse } from "../describe-error.ts";
import type { Terminal } from "../terminal/terminal.ts";

export type Login = { url: string; key: string };

type Environment = Terminal["environment"];

const defaultProfile = "default";

/**
 * `requestedProfile`, else that of `EARSHOT_PROFILE`, else the default. Errors: `wrong_use`,
 * `invalid_setting`.
 */
export function profileName(
  { EARSHOT_PROFILE: preset }: Environment,
  requestedProfile?: string,
): string {
  const profile = requestedProfile ?? (preset || defaultProfile);
  if (/^[\w-]{1,40}$/.test(profile)) return profile;
  const hint = "a name has 1 to 40 letters, digits, - and _";
  if (requestedProfile !== undefined)
    throw wrongUse(`invalid --profile ${JSON.stringify(requestedProfile)}`, hint);
  throw new EarshotError("invalid_setting", `invalid EARSHOT_PROFILE ${JSON.stringify(preset)}`, {
    hint,
  });
}

/** See the XDG Base Directory Specification. */
const loginFolder = ({ XDG_CONFIG_HOME, HOME }: Environment): string =>
  join(XDG_CONFIG_HOME || join(HOME || homedir(), ".config"), "earshot");

export function loginPath(environment: Environment, profile: string): string {
  const name = profile === defaultProfile ? "login.json" : `login.${profile}.json`;
  return join(loginFolder(environment), name);
}

/** Profiles with a login, the default first. */
export function loginProfiles(environment: Environment): readonly string[] {
  const folder = loginFolder(environment);
  const files = existsSync(folder) ? readdirSync(folder).sort() : [];
  const profiles = files.flatMap((file) => /^login\.([\w-]+)\.json$/.exec(file)?.[1] ?? []);
  return files.includes("login.json") ? [defaultProfile, ...profiles] : profiles;
}

/** Null if there is no login. Errors: `login_unreadable`. */
export function readLogin(environment: Environment, profile: string): Login | null {
  const path = loginPath(environment, profile);
  try {
    return parseLogin(parseUntrustedJson(readFileSync(path)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new EarshotError("login_unreadable", `${path} is not a valid login file`, {
      hint: "run earshot logout, then earshot login",
    });
  }
}

function parseLogin(value: unknown): Login {
  if (typeof value === "object" && value !== null && "url" in value && "key" in value) {
    const { url, key } = value;
    if (typeof url === "string" && URL.canParse(url) && typeof key === "string" && key !== "") {
      return { url, key };
    }
  }
  throw new Error("a login requires a url and a key");
}

export function writeLogin(environment: Environment, profile: string, login: Login): void {
  const path = loginPath(environment, profile);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
}

export function removeLogin(environment: Environment, profile: string): void {
  rmSync(loginPath(environment, profile), { force: true });
}
