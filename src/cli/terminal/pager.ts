import { spawn } from "node:child_process";
import type { Terminal } from "./terminal.ts";

const pagedCommands = new Set(["search", "counts", "explain", "audit", "help"]);

type Screen = Pick<Terminal, "out" | "interactive" | "rows" | "environment">;

/** Like git, sends output longer than the screen to PAGER, or `less`, once the command has ended. */
export function pageOutput<T extends Screen>(
  command: string | undefined,
  terminal: T,
): { terminal: T; flush(): Promise<void> } {
  const { PAGER: pager = "less", TERM } = terminal.environment;
  const { interactive, rows } = terminal;
  const isPaged =
    interactive && pagedCommands.has(command ?? "") && pager !== "" && TERM !== "dumb";
  if (!isPaged || rows === undefined) return { terminal, flush: async () => undefined };
  let text = "";
  const out = (piece: string): void => {
    text += piece;
  };
  const flush = async (): Promise<void> => {
    if (text.split("\n").length <= rows) terminal.out(text);
    else if (!(await showInPager(pager, text, terminal.environment))) terminal.out(text);
  };
  return { terminal: { ...terminal, out }, flush };
}

/** False if the pager could not be run. */
function showInPager(
  pager: string,
  text: string,
  environment: Terminal["environment"],
): Promise<boolean> {
  const env = { LESS: "FRX", ...environment };
  const child = spawn(pager, { shell: true, env, stdio: ["pipe", "inherit", "inherit"] });
  child.stdin.on("error", () => undefined);
  child.stdin.end(text);
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code !== 127));
  });
}
