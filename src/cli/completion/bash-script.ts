import type { CommandWords } from "./words.ts";

/** Completes all other words as file names. */
export function bashScript(all: readonly CommandWords[]): string {
  const paths = all.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  const cases = all.map(
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
