import { type Command, Option } from "commander";
import { EarshotError } from "../../lib/errors.ts";
import { wrongUse } from "../describe-error.ts";
import type { Terminal } from "../terminal.ts";
import { readLogin, type Service } from "./login-file.ts";

export type ServiceOptions = { url?: string; local?: boolean };

export const serviceHelp =
  "Searches the service of --url, EARSHOT_URL or earshot login; without one, or with EARSHOT_DATA_DIR or --local, " +
  "the archive in the data folder, without a key.";

export function takesService(command: Command): Command {
  return command
    .option(
      "--url <url>",
      "search this service; the key is EARSHOT_API_KEY or that of earshot login",
    )
    .addOption(new Option("--local", "search the archive in the data folder").conflicts("url"));
}

/**
 * Null: the archive in the data folder. Errors: `wrong_use`, `invalid_setting`, `missing_setting`, `login_unreadable`.
 */
export function chooseService(
  { environment }: Pick<Terminal, "environment">,
  { url: given, local }: ServiceOptions,
): Service | null {
  if (local) return null;
  if (given !== undefined) return withKey(requireUrl("--url", given), environment);
  const { EARSHOT_URL: url, EARSHOT_DATA_DIR: dataDir } = environment;
  if (url) return withKey(requireUrl("EARSHOT_URL", url), environment);
  return dataDir ? null : readLogin(environment);
}

/** Without credentials, which belong in the key. */
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

function withKey(url: string, environment: Terminal["environment"]): Service {
  const { EARSHOT_API_KEY: key } = environment;
  if (key) return { url, key };
  const login = readLogin(environment);
  if (login?.url === url) return login;
  throw new EarshotError("missing_setting", `an API key for ${url} is required`, {
    hint:
      "set EARSHOT_API_KEY, or run earshot login; create a key in the dashboard of the service, or with " +
      "earshot keys create on its server",
  });
}
