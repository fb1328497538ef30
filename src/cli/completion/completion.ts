import { Argument, type Command } from "commander";
import type { Terminal } from "../terminal/terminal.ts";
import { bashScript } from "./bash-script.ts";
import { fishScript } from "./fish-script.ts";
import { completionWords } from "./words.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export function addCompletion(
  program: Command,
  terminal: Terminal,
  loadAll: () => Promise<readonly Command[]>,
): void {
  program
    .command("completion")
    .description("Prints a script that completes commands and options in a shell.")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(scripts)))
    .addHelpText(
      "after",
      "\nExamples (for each new shell):\n" +
        "  bash: echo 'eval \"$(earshot completion bash)\"' >> ~/.bashrc\n" +
        "  zsh:  echo 'eval \"$(earshot completion zsh)\"' >> ~/.zshrc\n" +
        "  fish: earshot completion fish > ~/.config/fish/completions/earshot.fish",
    )
    .action(async (shell: keyof typeof scripts) => {
      terminal.out(scripts[shell](completionWords(await loadAll())));
    });
}

/** zsh runs the bash script through bashcompinit. */
function zshScript(words: ReturnType<typeof completionWords>): string {
  return `autoload -Uz compinit bashcompinit\ncompinit\nbashcompinit\n${bashScript(words)}`;
}
