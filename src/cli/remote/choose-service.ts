import { type Command, Option } from "commander";
import { EarshotError } from "../../lib/errors.ts";
import { wrongUse } from "../describe-error.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type Login, profileName, readLogin } from "./login-file.ts";

export type ServiceOptions = { url?: string; profile?: string; local?: boolean };

export const serviceHelp =
  "Searches the service of --url, --profile, EARSHOT_URL or earshot login; without one, or with EARSHOT_DATA_DIR or " +
  "--local, the archive in the data folder, without a key.";

export const profileHelp = "login profile; default: EARSHOT_PROFILE";

export function addServiceOptions(command: Command): Command {
  return command
    .option(
      "--url <url>",
      "search this service; the key is EARSHOT_API_KEY or that of earshot login",
    )
    .option("--profile <name>", profileHelp)
    .addOption(
      new Option("--local", "search the archive in the data folder").conflicts(["url", "profile"]),
    );
}

/**
 * Null means the archive in the data folder. Errors: `wrong_use`, `invalid_setting`,
 * `missing_setting`, `login_missing`, `login_unreadable`.
 */
export function chooseService(
  { environment }: Pick<Terminal, "environment">,
  { url: urlOption, profile: profileOption, local }: ServiceOptions,
): Login | null {
  if (local) return null;
  const profile = profileName(environment, profileOption);
  const login = () => readLogin(environment, profile);
  if (urlOption !== undefined) return withKey(requireUrl("--url", urlOption), environment, login);
  if (profileOption !== undefined) return login() ?? loginMissing(profile);
  const { EARSHOT_URL: url, EARSHOT_DATA_DIR: dataDir, EARSHOT_PROFILE: preset } = environment;
  if (url) return withKey(requireUrl("EARSHOT_URL", url), environment, login);
  if (dataDir) return null;
  return login() ?? (preset ? loginMissing(profile) : null);
}

/** Rejects URLs with a user name or a query: credentials belong in the key. */
export function requireUrl(name: string, text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "") {
    return url.href;
  }
  const message = `${name} must be an HTTP URL, not ${JSON.stringify(text)}`;
  const hint = "use the address of an Earshot service, such as https://search.example";
  if (name.startsWith("EARSHOT_")) throw new EarshotError("invalid_setting", message, { hint });
  throw wrongUse(message, hint);
}

function loginMissing(profile: string): never {
  throw new EarshotError("login_missing", `no login for profile ${profile}`, {
    hint: `earshot login --list shows all; earshot login URL --profile ${profile} adds it`,
  });
}

function withKey(
  url: string,
  { EARSHOT_API_KEY: key }: Terminal["environment"],
  login: () => Login | null,
): Login {
  if (key) return { url, key };
  const savedLogin = login();
  if (savedLogin?.url === url) return savedLogin;
  throw new EarshotError("missing_setting", `an API key for ${url} is required`, {
    hint:
      "set EARSHOT_API_KEY, or run earshot login; create a key in the service's dashboard, or with " +
      "earshot keys create on its server",
  });
}
