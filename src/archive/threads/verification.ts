import { unlessAborted } from "../../lib/unless-aborted.ts";

export class Verification {
  /** Errors: `archive_damaged`. */
  readonly ended: Promise<void>;
  #isDone = false;
  #error: unknown = null;

  constructor(ended: Promise<void>) {
    this.ended = ended;
    ended.then(
      () => {
        this.#isDone = true;
      },
      (error: unknown) => {
        this.#error = error;
      },
    );
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  throwIfFailed(): void {
    if (this.#error !== null) throw this.#error;
  }

  async wait(signal?: AbortSignal): Promise<void> {
    if (this.#isDone) return;
    await (signal === undefined ? this.ended : unlessAborted(this.ended, signal));
  }
}
