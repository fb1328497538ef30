import { run } from "../../src/cli/main.ts";
import type { Input } from "../../src/cli/terminal/terminal.ts";

export type Outcome = { code: number; out: string; notes: string };

export async function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  makeInput?: (output: () => string) => Input,
): Promise<Outcome> {
  let out = "";
  let notes = "";
  const code = await run(args, {
    out: (text) => {
      out += text;
    },
    note: (text) => {
      notes += text;
    },
    interactive: false,
    interactiveNotes: false,
    columns: 80,
    colour: false,
    environment: { EARSHOT_READERS: "1", ...environment },
    ...(makeInput === undefined ? {} : { input: makeInput(() => out + notes) }),
    stopSignal: new AbortController().signal,
  });
  return { code, out, notes };
}
