import { describe, expect, test } from "vitest";
import { createEventReader } from "./event-stream.ts";

const eventsIn = (...pieces: (string | Uint8Array)[]) => {
  const read = createEventReader(1_000);
  return pieces.flatMap((piece) =>
    read(typeof piece === "string" ? new TextEncoder().encode(piece) : piece),
  );
};
const stream = ':)\nevent: update\ndata: {"a":1}\n\n:thump\n\nevent: delete\ndata: 12\n\n';
const bothEvents = [
  { event: "update", data: '{"a":1}' },
  { event: "delete", data: "12" },
];

describe("events are parsed", () => {
  test("server-sent events are parsed from one piece", () =>
    expect(eventsIn(stream)).toEqual(bothEvents));

  test.each([1, 2, 3, 5, 7])("server-sent events are parsed from pieces of %i bytes", (length) => {
    const pieces = stream.match(new RegExp(`[^]{1,${length}}`, "g")) ?? [];
    expect(eventsIn(...pieces)).toEqual(bothEvents);
  });

  test.each(["\r\n", "\r"])(
    "server-sent events are parsed with %j line endings, even byte by byte",
    (end) => {
      const converted = stream.replaceAll("\n", end);
      expect(eventsIn(converted, ":")).toEqual(bothEvents);
      expect(eventsIn(...converted, ":")).toEqual(bothEvents);
    },
  );

  test("server-sent events are parsed with a character split across pieces", () => {
    const bytes = new TextEncoder().encode("data: 🦣\n\n");
    expect(eventsIn(bytes.slice(0, 8), bytes.slice(8))).toEqual([{ event: "", data: "🦣" }]);
  });

  test("server-sent events are parsed with several data lines, with or without a space after the colon", () => {
    expect(eventsIn("data:a\ndata: b\n\n")).toEqual([{ event: "", data: "a\nb" }]);
  });

  test("server-sent events without data are skipped, and unknown fields are ignored", () => {
    expect(eventsIn("event: update\n\nid: 7\nretry\ndata: a\n\n")).toEqual([
      { event: "", data: "a" },
    ]);
  });
});

describe("an oversized event is rejected", () => {
  test.each([
    ["in one line", ["data: ", "x".repeat(600), "x".repeat(600)]],
    ["in many lines", Array.from({ length: 200 }, () => "data: xxxxxx\n")],
    ["as a comment", [`:${"x".repeat(1_200)}`]],
  ])("an oversized server-sent event is rejected: %s", (_how, pieces) => {
    expect(() => eventsIn(...pieces)).toThrow("an event longer than 1000 characters");
  });

  test("many short server-sent events are not rejected as oversized", () => {
    expect(eventsIn("data: xxxxxx\n\n".repeat(500))).toHaveLength(500);
  });
});
