import { createInput, type Input } from "./input.ts";

/** What a command knows of the outside: where it writes, how wide that is, and when it is asked to stop. */
export type Terminal = {
  /** Answers, to standard output. */
  out(text: string): void;
  /** Remarks and errors, to standard error. */
  note(text: string): void;
  /** Whether a person reads standard output. */
  interactive: boolean;
  /** Whether a person reads standard error, where progress is drawn. */
  interactiveNotes: boolean;
  columns: number;
  /** Lines of the screen; unknown where nobody reads. */
  rows?: number;
  colour: boolean;
  environment: Readonly<Record<string, string | undefined>>;
  /** Absent where there is nothing to read. */
  input?: Input;
  /** Aborts at the first SIGINT or SIGTERM; a second one ends the process at once. */
  stopping: AbortSignal;
};

/** The terminal of this process. Colour only where a person reads and NO_COLOR is not set. */
export function processTerminal(stopping: AbortSignal): Terminal {
  const interactive = process.stdout.isTTY === true;
  return {
    out: (text) => process.stdout.write(text),
    note: (text) => process.stderr.write(text),
    interactive,
    interactiveNotes: process.stderr.isTTY === true,
    columns: process.stdout.columns ?? 80,
    ...(process.stdout.rows === undefined ? {} : { rows: process.stdout.rows }),
    colour: interactive && !process.env.NO_COLOR && process.env.TERM !== "dumb",
    environment: process.env,
    // Standard input is opened by whoever looks at it.
    get input() {
      return createInput(process.stdin, process.stderr, stopping);
    },
    stopping,
  };
}

/** Colours for a terminal that shows them, plain text for any other. */
export function painter(terminal: Pick<Terminal, "colour">): {
  bold(text: string): string;
  dim(text: string): string;
  accent(text: string): string;
} {
  const paint = (open: number, close: number) => (text: string) =>
    terminal.colour ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return { bold: paint(1, 22), dim: paint(2, 22), accent: paint(36, 39) };
}
