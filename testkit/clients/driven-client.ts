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
  readonly #pendingCalls = new Map<
    number,
    { resolve: (value: never) => void; reject: (error: ClientError) => void }
  >();
  #callCount = 0;

  constructor(command: readonly string[], url: string, key: string) {
    const [program = "", ...args] = command;
    const env = { ...process.env, EARSHOT_URL: url, EARSHOT_API_KEY: key };
    this.#child = spawn(program, args, { env, stdio: ["pipe", "pipe", "inherit"] });
    this.#child.on("exit", () => {
      const message = `${program} exited`;
      for (const { reject } of this.#pendingCalls.values()) reject({ kind: "other", message });
    });
    if (this.#child.stdout === null) throw new Error("no output");
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const { id, value, error } = JSON.parse(line);
      const call = this.#pendingCalls.get(id);
      this.#pendingCalls.delete(id);
      if (error === undefined) call?.resolve(value as never);
      else call?.reject(error);
    });
  }

  call<Value>(name: string, args: object): Promise<Value> {
    this.#callCount += 1;
    const id = this.#callCount;
    return new Promise<Value>((resolve, reject) => {
      this.#pendingCalls.set(id, { resolve, reject });
      this.#child.stdin?.write(`${JSON.stringify({ id, name, args })}\n`);
    });
  }

  close(): void {
    this.#child.kill();
  }
}
