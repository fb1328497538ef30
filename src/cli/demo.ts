import type { Command } from "commander";
import type { Terminal } from "./terminal.ts";

export function addDemo(program: Command, terminal: Terminal): void {
  program
    .command("demo")
    .description(
      "Starts the whole service on a temporary folder with a few hundred invented posts, submits searches over real HTTP " +
        "with a real key, and prints each request and answer. Needs no network and no account, and leaves nothing behind.",
    )
    .option("--keep", "leave it running afterwards, on EARSHOT_PORT or 8080, until it is stopped")
    .action(async (options: { keep?: boolean }) => {
      const { runDemo } = await import("./demo/run-demo.ts");
      await runDemo({ keep: options.keep === true }, terminal);
    });
}
