import { firstValue } from "../../lib/abortable-wait.ts";
import type { Clock } from "../../lib/clock.ts";

/** Clients cannot resume from an event without an id. */
export type StreamedEvent = { id: number | null; event: string; data: unknown };

/** Reconnection delay for clients. */
const retryMs = 3_000;
const heartbeatMs = 15_000;

/** Reads each event after the previous one was consumed: nothing accumulates for slow clients. */
export async function* eventStream(
  events: AsyncIterator<StreamedEvent>,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let pendingResult: IteratorResult<StreamedEvent> | null = null;
  let deliver: (result: IteratorResult<StreamedEvent>) => void = () => undefined;
  const receive = (result: IteratorResult<StreamedEvent>) => {
    pendingResult = result;
    deliver(result);
  };
  const requestNext = () =>
    events.next().then(receive, () => receive({ done: true, value: undefined }));

  void requestNext();
  yield `retry: ${retryMs}\n\n`;
  while (!signal.aborted) {
    const result: IteratorResult<StreamedEvent> | null =
      pendingResult ??
      (await firstValue(clock, heartbeatMs, signal, (resolve) => {
        deliver = resolve;
        return () => {
          deliver = () => undefined;
        };
      }));
    if (signal.aborted || result?.done) return;
    if (result === null) {
      yield ":\n\n";
    } else {
      yield formatText(result.value);
      pendingResult = null;
      void requestNext();
    }
  }
}

/** One line of JSON cannot end the event early. */
function formatText({ id, event, data }: StreamedEvent): string {
  const idLine = id === null ? "" : `id: ${id}\n`;
  return `${idLine}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
