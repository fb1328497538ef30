import { expect, test } from "vitest";
import { livePlatformOf, platformOf, streamOf } from "../status.test-support.ts";
import { streamNotes } from "./stream-notes.ts";

test("the notes on streams give the reason why a stream is not connected, and what to do", () => {
  const stream = streamOf({ status: "waiting", detail: "waiting for a.example: refused" });
  const [note] = streamNotes([platformOf("bluesky", { stream }), livePlatformOf("x")]);
  expect(note).toMatchObject({ title: "The Bluesky stream is not connected", isDown: true });
  expect(note?.texts[0]).toBe("Waiting for a.example: refused.");
  expect(note?.texts[1]).toContain("can reach stream.example");
});

test("the notes on streams report a connected stream, and a service without streams", () => {
  expect(streamNotes([platformOf("bluesky")])).toMatchObject([{ isDown: false }]);
  expect(streamNotes([livePlatformOf("x")])).toMatchObject([{ title: "No stream is configured" }]);
});
