import { expect, test } from "vitest";
import { makeLivePlatform, makePlatform, makeStream } from "../status.test-support.ts";
import { streamNotes } from "./stream-notes.ts";

test("the notes on streams say why a stream is not connected, and what to do", () => {
  const stream = makeStream({ status: "waiting", detail: "waiting for a.example: refused" });
  const [note] = streamNotes([makePlatform("bluesky", { stream }), makeLivePlatform("x")]);
  expect(note).toMatchObject({ title: "The Bluesky stream is not connected", isDown: true });
  expect(note?.texts[0]).toBe("Waiting for a.example: refused.");
  expect(note?.texts[1]).toContain("can reach stream.example");
});

test("the notes on streams report a connected stream, and a service without streams", () => {
  expect(streamNotes([makePlatform("bluesky")])).toMatchObject([{ isDown: false }]);
  expect(streamNotes([makeLivePlatform("x")])).toMatchObject([
    { title: "No stream is configured" },
  ]);
});
