import type { Command } from "commander";
import { systemClock } from "../../lib/clock.ts";
import { formatDuration } from "../../lib/duration.ts";
import type { Config } from "../../server/config.ts";
import { readConfig } from "../settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { withControl } from "./with-control.ts";

export function addSignIn(program: Command, terminal: Terminal): void {
  program
    .command("sign-in")
    .description(
      "Prints a link that signs in to the dashboard as the operator or the account in --account. It works once, " +
        "within EARSHOT_SIGN_IN_LINK_TIME.",
    )
    .option("--account <account>", "id, name or login (github:ann)")
    .addHelpText("after", "\nExample:\n  earshot sign-in --account ann")
    .action((options: { account?: string }) => signIn(options, terminal));
}

async function signIn({ account }: { account?: string }, terminal: Terminal): Promise<void> {
  const config = readConfig(terminal);
  const link = await makeSignInLink(
    config,
    config.http.publicUrl ?? formatAddress(config),
    account,
  );
  if (terminal.interactive) {
    const duration = formatDuration(config.signIn.linkMs);
    terminal.note(`open the link in your browser within ${duration}; it works once\n`);
  }
  terminal.out(`${link}\n`);
}

/**
 * The link is valid for `signIn.linkMs`; without `account`, it signs in the operator. Errors:
 * `account_not_found`, `ambiguous_account`.
 */
export async function makeSignInLink(
  config: Pick<Config, "data" | "database" | "signIn">,
  base: string,
  account?: string,
): Promise<string> {
  const nowMs = systemClock.now();
  const token = await withControl(config, async (control) =>
    control.run("makeSignInLink", {
      accountId: account === undefined ? null : await control.run("resolveAccount", { account }),
      actor: "command_line",
      nowMs,
      expiresMs: nowMs + config.signIn.linkMs,
    }),
  );
  return signInLink(base, token);
}

/** Browsers never send the fragment, so no server logs it. */
export function signInLink(base: string, token: string): string {
  return `${base}/dashboard/sign-in#token=${token}`;
}

/** The server's address for a browser on the same machine. */
function formatAddress({ http }: Config): string {
  const isUnspecified = ["0.0.0.0", "::"].includes(http.host);
  const host = isUnspecified ? "127.0.0.1" : http.host;
  return `http://${host.includes(":") ? `[${host}]` : host}:${http.port}`;
}
