import { Argument, type Command } from "commander";
import type { Terminal } from "../terminal/terminal.ts";

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

/** Completes unknown words as file names. */
function bashScript(commandWords: readonly CommandWords[]): string {
  const paths = commandWords.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  const cases = commandWords.map(
    ({ path, words }) => `    "${path}") words="${words.map(({ text }) => text).join(" ")}" ;;\n`,
  );
  return `_earshot() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${paths.join(" | ")}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases.join("")}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _earshot earshot
`;
}

function fishScript(commandWords: readonly CommandWords[]): string {
  const lines = commandWords.flatMap(({ path, words }) =>
    words.map(({ text, description, isCommand }) => {
      const word = text.startsWith("--") ? `-l ${text.slice(2)}` : `-a ${text}`;
      const condition = makeCondition(path, isCommand, words);
      return `complete -c earshot ${isCommand ? "-f " : ""}-n ${quote(condition)} ${word} -d ${quote(description)}\n`;
    }),
  );
  return lines.join("");
}

function makeCondition(path: string, isCommand: boolean, words: CommandWords["words"]): string {
  const conditions = path
    .split(" ")
    .filter((part) => part !== "")
    .map((part) => `__fish_seen_subcommand_from ${part}`);
  const children = words.filter((word) => word.isCommand).map(({ text }) => text);
  if (isCommand || path === "")
    conditions.push(`not __fish_seen_subcommand_from ${children.join(" ")}`);
  return conditions.join("; and ");
}

const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** An empty `path` means `earshot` itself. */
type CommandWords = { path: string; words: readonly Word[] };

type Word = { text: string; description: string; isCommand: boolean };

function completionWords(commands: readonly Command[]): readonly CommandWords[] {
  const help: Word = { text: "--help", description: "print this help", isCommand: false };
  const version: Word = { text: "--version", description: "print the version", isCommand: false };
  const topLevel = { path: "", words: [...commands.map(commandWord), help, version] };
  return [topLevel, ...commands.flatMap((command) => subtreeWords(command, command.name(), help))];
}

function subtreeWords(command: Command, path: string, help: Word): CommandWords[] {
  const options = command.options
    .filter(({ hidden, long }) => !hidden && long)
    .map(({ long, description }) => ({ text: long ?? "", description, isCommand: false }));
  const choices = command.registeredArguments
    .flatMap(({ argChoices = [] }) => argChoices)
    .map((text) => ({ text, description: "", isCommand: false }));
  const words = [...command.commands.map(commandWord), ...choices, ...options, help];
  return [
    { path, words },
    ...command.commands.flatMap((child) => subtreeWords(child, `${path} ${child.name()}`, help)),
  ];
}

function commandWord(command: Command): Word {
  const description = command.summary() || command.description();
  return { text: command.name(), description, isCommand: true };
}
