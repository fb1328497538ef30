import { expect, test } from "vitest";
import { createManualClock } from "../../lib/manual-clock.ts";
import { eventStream, type StreamedEvent } from "./event-stream.ts";

function source() {
  const pendingReads: ((result: IteratorResult<StreamedEvent>) => void)[] = [];
  const events: AsyncIterator<StreamedEvent> & { pulled: number } = {
    pulled: 0,
    next: () => {
      events.pulled += 1;
      return new Promise((resolve) => pendingReads.push(resolve));
    },
  };
  return {
    events,
    emit: (event: StreamedEvent) => pendingReads.shift()?.({ done: false, value: event }),
    end: () => pendingReads.shift()?.({ done: true, value: undefined }),
  };
}

const event = { id: 7, event: "job", data: { text: "two\nlines" } };
const eventText = 'id: 7\nevent: job\ndata: {"text":"two\\nlines"}\n\n';

test("an event stream begins with the reconnection delay, and writes each event in one piece, with its fields on separate lines", async () => {
  const { events, emit, end } = source();
  const stream = eventStream(events, createManualClock(), new AbortController().signal);
  expect((await stream.next()).value).toBe("retry: 3000\n\n");
  emit(event);
  expect((await stream.next()).value).toBe(eventText);
  const next = stream.next();
  emit({ ...event, id: null });
  expect((await next).value).toBe(eventText.replace("id: 7\n", ""));
  const last = stream.next();
  end();
  expect((await last).done).toBe(true);
});

test("an event stream without events sends a comment every 15 seconds", async () => {
  const { events, emit } = source();
  const clock = createManualClock();
  const stream = eventStream(events, clock, new AbortController().signal);
  await stream.next();
  for (let beat = 0; beat < 3; beat++) {
    const next = stream.next();
    await clock.advance(14_999);
    await clock.advance(1);
    expect((await next).value).toBe(":\n\n");
  }
  const next = stream.next();
  await clock.advance(14_999);
  emit(event);
  expect((await next).value).toBe(eventText);
  expect(events.pulled).toBe(1);
});

test("an event stream reads the next event only after the previous one has been consumed", async () => {
  const { events, emit } = source();
  const stream = eventStream(events, createManualClock(), new AbortController().signal);
  await stream.next();
  emit(event);
  await stream.next();
  expect(events.pulled).toBe(1);
  const next = stream.next();
  expect(events.pulled).toBe(2);
  emit(event);
  expect((await next).value).toBe(eventText);
});

test("an event stream ends immediately when its signal aborts, even while waiting", async () => {
  const { events } = source();
  const endController = new AbortController();
  const stream = eventStream(events, createManualClock(), endController.signal);
  await stream.next();
  const next = stream.next();
  endController.abort();
  expect((await next).done).toBe(true);
});

test("an event stream ends when events cannot be read", async () => {
  const events = { next: () => Promise.reject(new Error("the store does not respond")) };
  const stream = eventStream(events, createManualClock(), new AbortController().signal);
  await stream.next();
  expect((await stream.next()).done).toBe(true);
});
