import type { Clock } from "../../lib/clock.ts";
import { firstOf } from "../../lib/first-of.ts";

/** One event of a stream; without an id it is no place that a client can go on from. */
export type StreamedEvent = { id: number | null; event: string; data: unknown };

/** When a client that lost its connection is to come again. */
const retryMs = 3_000;
/** So long nothing may come before a comment shows that the connection lives. */
const heartbeatMs = 15_000;

/**
 * Server-sent events (HTML standard, 9.2) as text, piece by piece, each of them whole. The next event is asked for when the
 * piece before was taken, so that nothing gathers for a client that reads slowly. Ends with the events or when the signal
 * aborts.
 */
export async function* eventStream(
  events: AsyncIterator<StreamedEvent>,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let arrived: IteratorResult<StreamedEvent> | null = null;
  let tell: (result: IteratorResult<StreamedEvent>) => void = () => undefined;
  const arrive = (result: IteratorResult<StreamedEvent>) => {
    arrived = result;
    tell(result);
  };
  const ask = () => events.next().then(arrive, () => arrive({ done: true, value: undefined }));

  void ask();
  yield `retry: ${retryMs}\n\n`;
  while (!signal.aborted) {
    const result: IteratorResult<StreamedEvent> | null =
      arrived ??
      (await firstOf(clock, heartbeatMs, signal, (give) => {
        tell = give;
        return () => {
          tell = () => undefined;
        };
      }));
    if (signal.aborted || result?.done) return;
    if (result === null) {
      yield ":\n\n";
    } else {
      yield textOf(result.value);
      arrived = null;
      void ask();
    }
  }
}

/** JSON of one line: nothing in it can end the event early. */
function textOf({ id, event, data }: StreamedEvent): string {
  const place = id === null ? "" : `id: ${id}\n`;
  return `${place}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
