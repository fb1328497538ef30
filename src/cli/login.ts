import type { Command } from "commander";
import { EarshotError } from "../lib/errors.ts";
import { ApiRefusal } from "../mcp/api.ts";
import { requireUrl } from "./remote/choose-service.ts";
import { loginPath, removeLogin, writeLogin } from "./remote/login-file.ts";
import type { Terminal } from "./terminal.ts";

export function addLogin(program: Command, terminal: Terminal): void {
  program
    .command("login")
    .argument("<url>", "the address of the service")
    .description(
      "Stores the address of a service and an API key for it, for search, counts and mcp. Reads the key from the " +
        "terminal without echo, or from standard input, and checks it.",
    )
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  earshot login https://search.example\n" +
        "  earshot login https://search.example < key.txt",
    )
    .action((url: string) => login(requireUrl("the address", url), terminal));
}

export function addLogout(program: Command, terminal: Terminal): void {
  program
    .command("logout")
    .description(
      "Removes what earshot login stored. The key stays valid: revoke it at the service.",
    )
    .action(() => {
      removeLogin(terminal.environment);
      terminal.out("Logged out.\n");
    });
}

async function login(url: string, terminal: Terminal): Promise<void> {
  const key = await readKey(terminal);
  const { openRemoteApi } = await import("./remote/remote-api.ts");
  const { api, close } = openRemoteApi({ url, key });
  try {
    const answer = await api({ method: "GET", path: "/v1/search/live/social/jobs?limit=1" });
    // A key may be valid and not allowed to list jobs.
    if (answer.status >= 300 && answer.status !== 403) throw new ApiRefusal(answer);
  } finally {
    await close();
  }
  writeLogin(terminal.environment, { url, key });
  terminal.out(`Logged in to ${url}; the key is in ${loginPath(terminal.environment)}.\n`);
}

async function readKey({ input }: Terminal): Promise<string> {
  const text = input?.interactive ? await input.askSecret("API key") : await input?.readAll();
  const key = text?.trim() ?? "";
  if (key !== "") return key;
  throw new EarshotError("missing_key", "an API key is required", {
    hint: "create one in the dashboard of the service, then enter it or pass it on standard input",
  });
}
