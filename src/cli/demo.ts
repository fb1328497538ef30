import type { Command } from "commander";
import type { Terminal } from "./terminal/terminal.ts";

export function addDemo(program: Command, terminal: Terminal): void {
  program
    .command("demo")
    .description(
      "Runs the service in a temporary folder with a few hundred fictional posts, submits searches and prints " +
        "each request and response. Needs no network or account, and leaves nothing behind.",
    )
    .option("--keep", "keep it running on EARSHOT_PORT or 8080, and print a link to its dashboard")
    .action(async (options: { keep?: boolean }) => {
      const { runDemo } = await import("./demo/run-demo.ts");
      await runDemo({ keep: options.keep === true }, terminal);
    });
}
