import { createInterface } from "node:readline/promises";
import { type Readable, Writable } from "node:stream";
import { EarshotError } from "../../lib/errors.ts";

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
  stopSignal: AbortSignal;
};

export function processTerminal(stopSignal: AbortSignal): Terminal {
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
      return createInput(process.stdin, process.stderr, stopSignal);
    },
    stopSignal,
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

export type Input = {
  interactive: boolean;
  /** Errors: `input_ended`, `interrupted`. */
  ask(question: string): Promise<string>;
  /** Does not echo the input. */
  askSecret(question: string): Promise<string>;
  /** Errors: `input_too_long`. */
  readAll(): Promise<string>;
};

const maxBytes = 256 * 1024;

/** Questions go to `stderr`. */
export function createInput(
  stdin: Readable & { isTTY?: boolean },
  stderr: Writable & { isTTY?: boolean },
  stopSignal: AbortSignal,
): Input {
  async function prompt(question: string, output: Writable): Promise<string> {
    // `terminal: true` turns off the terminal's echo, including that of input typed early.
    const reader = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
    if (output !== stderr) stderr.write(question);
    const endOfInput = new Promise<never>((_resolve, reject) => {
      reader.once("SIGINT", () => reject(interruptionError()));
      reader.once("close", () => reject(inputEnded()));
    });
    // Closing after a line also rejects this promise.
    endOfInput.catch(() => undefined);
    try {
      return await Promise.race([reader.question(question, { signal: stopSignal }), endOfInput]);
    } catch (thrown) {
      throw stopSignal.aborted ? stopSignal.reason : thrown;
    } finally {
      reader.close();
      if (output !== stderr) stderr.write("\n");
    }
  }

  async function readAll(): Promise<string> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of stdin) {
      const buffer = Buffer.from(piece);
      bytes += buffer.byteLength;
      if (bytes > maxBytes) throw inputTooLong();
      pieces.push(buffer);
    }
    return Buffer.concat(pieces).toString("utf8");
  }

  return {
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    ask: (question) => prompt(`${question}: `, stderr),
    askSecret: (question) => prompt(`${question}: `, discardingOutput()),
    readAll,
  };
}

const discardingOutput = (): Writable =>
  new Writable({ write: (_chunk, _encoding, done) => done() });

function interruptionError(): EarshotError {
  return new EarshotError("interrupted", "interrupted", { hint: "nothing was changed" });
}

function inputEnded(): EarshotError {
  return new EarshotError("input_ended", "the input ended too early");
}

function inputTooLong(): EarshotError {
  return new EarshotError("input_too_long", `the input is longer than ${maxBytes} bytes`);
}
