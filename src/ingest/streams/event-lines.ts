export type ServerSentEvent = { event: string; data: string };

/**
 * Parses `text/event-stream`. Skips comments (heartbeats) and events without data. Throws for an
 * event longer than `maxLength` UTF-16 code units.
 */
export function createEventReader(maxLength: number): (piece: Uint8Array) => ServerSentEvent[] {
  const decoder = new TextDecoder();
  let line: string[] = [];
  let lineLength = 0;
  let event = "";
  let data: string[] = [];
  let dataLength = 0;
  /** CR LF may be split between chunks. */
  let endsWithCr = false;

  function add(text: string): void {
    lineLength += text.length;
    if (lineLength + dataLength > maxLength)
      throw new Error(`an event longer than ${maxLength} characters`);
    if (text !== "") line.push(text);
  }

  function endOfLine(): ServerSentEvent | null {
    const text = line.join("");
    line = [];
    lineLength = 0;
    if (text === "") return endOfEvent();
    const colon = text.indexOf(":");
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? "" : text.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    if (field === "data") {
      data.push(value);
      dataLength += value.length + 1;
    }
    return null;
  }

  function endOfEvent(): ServerSentEvent | null {
    const message = data.length === 0 ? null : { event, data: data.join("\n") };
    event = "";
    data = [];
    dataLength = 0;
    return message;
  }

  return (piece) => {
    const text = decoder.decode(piece, { stream: true });
    const events: ServerSentEvent[] = [];
    let from = 0;
    if (endsWithCr && text.startsWith("\n")) from = 1;
    if (text !== "") endsWithCr = text.endsWith("\r");
    for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) {
      if (index < from) continue;
      add(text.slice(from, index));
      const message = endOfLine();
      if (message !== null) events.push(message);
      from = index + end.length;
    }
    add(text.slice(from));
    return events;
  };
}
