import { type Command, Option } from "commander";
import { EarshotError } from "../lib/errors.ts";
import { ApiError } from "../mcp/api.ts";
import { wrongUse } from "./describe-error.ts";
import { profileHelp, requireUrl } from "./remote/choose-service.ts";
import {
  loginPath,
  loginProfiles,
  profileName,
  readLogin,
  removeLogin,
  writeLogin,
} from "./remote/login-file.ts";
import { type Column, tableLines } from "./terminal/table.ts";
import { painter, type Terminal } from "./terminal/terminal.ts";

type LoginOptions = { profile?: string; list?: boolean };

export function addLogin(program: Command, terminal: Terminal): void {
  program
    .command("login")
    .argument("[url]", "the address of the service")
    .description(
      "Stores the address of a service and an API key for it, for search, counts and mcp. Reads the key from the " +
        "terminal without echo, or from standard input, and checks it. Use profiles for several services.",
    )
    .option("--profile <name>", profileHelp)
    .addOption(new Option("--list", "list the profiles and their services").conflicts("profile"))
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  earshot login https://search.example\n" +
        "  earshot login https://search.example < key.txt\n" +
        "  earshot login https://staging.example --profile staging\n" +
        "  earshot search 'comet' --profile staging",
    )
    .action((url: string | undefined, options: LoginOptions) =>
      options.list ? listLogins(terminal) : login(url, options, terminal),
    );
}

export function addLogout(program: Command, terminal: Terminal): void {
  program
    .command("logout")
    .description(
      "Removes a login that earshot login stored. The key stays valid: revoke it on the service.",
    )
    .option("--profile <name>", profileHelp)
    .action(({ profile }: LoginOptions) => {
      removeLogin(terminal.environment, profileName(terminal.environment, profile));
      terminal.out("Logged out.\n");
    });
}

const columns: readonly Column[] = ["PROFILE", "SERVICE"].map((title) => ({
  title,
  align: "left",
}));

function listLogins(terminal: Terminal): void {
  const { environment } = terminal;
  const rows = loginProfiles(environment).map((profile) => [
    profile,
    readLogin(environment, profile)?.url ?? "",
  ]);
  terminal.out(`${tableLines(columns, rows, painter(terminal).bold).join("\n")}\n`);
}

async function login(
  address: string | undefined,
  options: LoginOptions,
  terminal: Terminal,
): Promise<void> {
  if (address === undefined) throw wrongUse("the address is missing", "use earshot login URL");
  const url = requireUrl("the address", address);
  const profile = profileName(terminal.environment, options.profile);
  const key = await readKey(terminal);
  const { openRemoteApi } = await import("./remote/remote-api.ts");
  const { api, close } = openRemoteApi({ url, key });
  try {
    const response = await api({ method: "GET", path: "/v1/search/live/social/jobs?limit=1" });
    // Status 403 means that the key is valid but cannot list jobs.
    if (response.status >= 300 && response.status !== 403) throw new ApiError(response);
  } finally {
    await close();
  }
  writeLogin(terminal.environment, profile, { url, key });
  terminal.out(`Logged in to ${url}; the key is in ${loginPath(terminal.environment, profile)}.\n`);
}

async function readKey({ input }: Terminal): Promise<string> {
  const text = input?.interactive ? await input.askSecret("API key") : await input?.readAll();
  const key = text?.trim() ?? "";
  if (key !== "") return key;
  throw new EarshotError("missing_key", "an API key is required", {
    hint: "create one in the service's dashboard, then enter it or pass it on standard input",
  });
}
