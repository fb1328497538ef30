import { CommanderError } from "commander";
import { stripControls } from "../lib/controls.ts";
import { EarshotError, errorMessage } from "../lib/errors.ts";
import { isDismissal } from "../remote/protocol/errors.ts";

export const exitCode = { ok: 0, failed: 1, wrongUse: 2, dismissed: 3 } as const;

const wrongUseCodes = new Set(["wrong_use", "invalid_query", "unknown_setting", "invalid_setting"]);

export function wrongUse(message: string, hint: string): EarshotError {
  return new EarshotError("wrong_use", message, { status: 400, hint });
}

/** The errors have already been printed. */
export function invalidQueryError(count: number): EarshotError {
  const errors = count === 1 ? "an error" : `${count} errors`;
  return new EarshotError("invalid_query", `the query has ${errors}`, {
    status: 400,
    hint: "fix the parts marked above",
  });
}

/** `line` is null if commander printed the help or the version. */
export function describeError(thrown: unknown): { line: string | null; code: number } {
  if (thrown instanceof CommanderError) return describeCommanderError(thrown);
  const code = errorCode(thrown);
  const hint = thrown instanceof EarshotError ? getHint(thrown) : systemHint(thrown);
  return { line: oneLine(errorMessage(thrown), hint), code };
}

function getHint({ code, hint }: EarshotError): string | undefined {
  return hint ?? (code === "invalid_query" ? "run earshot explain to see where" : undefined);
}

function errorCode(thrown: unknown): number {
  if (isDismissal(thrown)) return exitCode.dismissed;
  return isWrongUse(thrown) ? exitCode.wrongUse : exitCode.failed;
}

function isWrongUse(thrown: unknown): boolean {
  return thrown instanceof EarshotError && wrongUseCodes.has(thrown.code);
}

function describeCommanderError(error: CommanderError): { line: string | null; code: number } {
  if (error.exitCode === 0) return { line: null, code: exitCode.ok };
  const [first = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const hint = suggestion?.replace(/^\(|\)$/g, "").replace(/^D/, "d") ?? "see --help";
  return { line: oneLine(first, hint), code: exitCode.wrongUse };
}

function systemHint(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !("code" in thrown)) return undefined;
  switch (thrown.code) {
    case "ENOENT":
      return "check the path";
    case "EACCES":
    case "EPERM":
      return "check the permissions";
    case "EADDRINUSE":
      return "another program uses this port: stop it, or set EARSHOT_PORT";
    case "ENOSPC":
      return "free some disk space";
    default:
      return undefined;
  }
}

function oneLine(message: string, hint: string | undefined): string {
  const text = hint ? `${message} – ${hint}` : message;
  const lines = stripControls(text)
    .split("\n")
    .map((line) => line.trim());
  return `earshot: ${lines.filter((line) => line !== "").join(" ")}\n`;
}
