import { EarshotError } from "../../lib/errors.ts";
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

const unspecificCodes: readonly string[] = ["internal", "disk_error"];

/** Errors without a code (disk full, no access, damage) become `archive_unavailable`. */
export async function archiveErrors<Value>(call: Promise<Value>): Promise<Value> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof EarshotError && unspecificCodes.includes(error.code))) throw error;
    throw new EarshotError("archive_unavailable", `the archive is unavailable: ${error.message}`, {
      status: 503,
      retryable: true,
      hint: "check the free space and permissions of the data folder",
      cause: error,
    });
  }
}
