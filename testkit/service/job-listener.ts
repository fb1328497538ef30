import { setTimeout as sleep } from "node:timers/promises";
import type { JobLedger } from "./job-ledger.ts";
import type { ServiceAccess } from "./retrying-client.ts";

const silenceMs = 4_000;

/** Resumes with `Last-Event-ID` until `isOver`. */
export async function listenToJobs(
  nextAccess: () => ServiceAccess,
  ledger: JobLedger,
  isOver: () => boolean,
): Promise<void> {
  let lastEventId = 0;

  function receive(event: string): void {
    const fields = new Map(
      event.split("\n").map((line): [string, string] => {
        const index = line.indexOf(": ");
        return [line.slice(0, index), line.slice(index + 2)];
      }),
    );
    const [id, data] = [fields.get("id"), fields.get("data")];
    if (id === undefined || data === undefined) return;
    if (Number(id) <= lastEventId) ledger.contradict(`change ${id} came after ${lastEventId}`);
    lastEventId = Number(id);
    const { uuid, status } = JSON.parse(data) as { uuid: string; status: string };
    ledger.addState(uuid, status);
    ledger.count("changes received");
  }

  while (!isOver()) {
    const { base, key } = nextAccess();
    const connection = new AbortController();
    let silenceTimer = setTimeout(() => connection.abort(), silenceMs);
    try {
      const response = await fetch(`${base}/v1/search/live/social/events`, {
        headers: { authorization: `Bearer ${key}`, "last-event-id": String(lastEventId) },
        signal: connection.signal,
      });
      let text = "";
      for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        clearTimeout(silenceTimer);
        silenceTimer = setTimeout(() => connection.abort(), silenceMs);
        const events = `${text}${piece}`.split("\n\n");
        text = events.pop() ?? "";
        events.forEach(receive);
      }
    } catch {
      // The next connection resumes.
    }
    clearTimeout(silenceTimer);
    ledger.count("streams opened");
    await sleep(50);
  }
}
