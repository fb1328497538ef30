import type { Thread } from "../../db/threads/thread.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Verification } from "./verification.ts";
import type { WriterMethods } from "./writer-thread.ts";

/** Also removes expired labels. Failures are retried in the next round. */
export async function applyCountsPeriodically(
  writer: Pick<Thread<WriterMethods>, "call">,
  verification: Verification,
  { clock, delayMs, signal }: { clock: Clock; delayMs: number; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(delayMs, signal).catch(() => {});
    if (signal.aborted) return;
    try {
      await verification.wait();
      await writer.call("expire", clock.now());
      await writer.call("closeCounts", null);
      while (!signal.aborted && (await writer.call("addCounts", null)));
    } catch {
      // Calls of `write` report the same error.
    }
  }
}
