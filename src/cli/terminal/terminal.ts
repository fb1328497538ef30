import { createInput, type Input } from "./input.ts";

export type Terminal = {
  out(text: string): void;
  note(text: string): void;
  interactive: boolean;
  interactiveNotes: boolean;
  columns: number;
  rows?: number;
  colour: boolean;
  environment: Readonly<Record<string, string | undefined>>;
  input?: Input;
  /** Aborts at the first SIGINT, SIGTERM or SIGHUP. */
  stopping: AbortSignal;
};

/** Honours NO_COLOR. */
export function processTerminal(stopping: AbortSignal): Terminal {
  const interactive = process.stdout.isTTY === true;
  return {
    out: (text) => process.stdout.write(text),
    note: (text) => process.stderr.write(text),
    interactive,
    interactiveNotes: process.stderr.isTTY === true,
    // Terminals that do not know their size report 0.
    columns: process.stdout.columns || 80,
    ...(process.stdout.rows ? { rows: process.stdout.rows } : {}),
    colour: interactive && !process.env.NO_COLOR && process.env.TERM !== "dumb",
    environment: process.env,
    get input() {
      return createInput(process.stdin, process.stderr, stopping);
    },
    stopping,
  };
}

export function painter(terminal: Pick<Terminal, "colour">): {
  bold(text: string): string;
  dim(text: string): string;
  accent(text: string): string;
} {
  const paint = (open: number, close: number) => (text: string) =>
    terminal.colour ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return { bold: paint(1, 22), dim: paint(2, 22), accent: paint(36, 39) };
}
