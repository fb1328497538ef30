import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

export type ClientError = {
  kind: "refused" | "connection" | "timeout" | "other";
  code?: string;
  status?: number;
  message: string;
  errors?: readonly { message: string }[];
  uuid?: string | null;
};

/** A client in any language, in its own process. Calls reject with a `ClientError`. */
export class DrivenClient {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<
    number,
    { resolve: (value: never) => void; reject: (error: ClientError) => void }
  >();
  #calls = 0;

  constructor(command: readonly string[], url: string, key: string) {
    const [program = "", ...args] = command;
    const env = { ...process.env, EARSHOT_URL: url, EARSHOT_API_KEY: key };
    this.#child = spawn(program, args, { env, stdio: ["pipe", "pipe", "inherit"] });
    this.#child.on("exit", () => {
      const message = `${program} ended`;
      for (const { reject } of this.#waiting.values()) reject({ kind: "other", message });
    });
    if (this.#child.stdout === null) throw new Error("no output");
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const { id, value, error } = JSON.parse(line);
      const call = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) call?.resolve(value as never);
      else call?.reject(error);
    });
  }

  call<Value>(name: string, args: object): Promise<Value> {
    this.#calls += 1;
    const id = this.#calls;
    return new Promise<Value>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.stdin?.write(`${JSON.stringify({ id, name, args })}\n`);
    });
  }

  close(): void {
    this.#child.kill();
  }
}
