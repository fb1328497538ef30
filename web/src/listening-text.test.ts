import { expect, test } from "vitest";
import { listeningText } from "./listening-text.ts";
import { askedOf, platformOf, streamOf } from "./status.test-support.ts";

test("what is heard is told with how far behind the slowest stream is", () => {
  const behind = platformOf("mastodon", { stream: streamOf({ lag_ms: 6_000 }) });
  expect(listeningText([platformOf("bluesky"), behind, askedOf("x")])).toEqual({
    isLive: true,
    text: "Listening, 6.0 s behind",
  });
});

test("a stream that does not tell its lag is listened to all the same", () => {
  const quiet = platformOf("mastodon", { stream: streamOf({ lag_ms: null }) });
  expect(listeningText([quiet]).text).toBe("Listening");
});

test("a stream that is away is named, whatever the others do", () => {
  const away = platformOf("mastodon", { stream: streamOf({ status: "waiting" }) });
  expect(listeningText([platformOf("bluesky"), away])).toEqual({
    isLive: false,
    text: "Mastodon not connected",
  });
  const paused = platformOf("bluesky", { stream: streamOf({ status: "paused" }) });
  expect(listeningText([paused]).text).toBe("Bluesky paused");
});

test("who is minutes behind is catching up", () => {
  const late = platformOf("bluesky", { stream: streamOf({ lag_ms: 180_000 }) });
  expect(listeningText([late])).toEqual({ isLive: false, text: "Catching up, 3 min behind" });
});

test("without a stream it says so", () => {
  expect(listeningText([askedOf("x")]).text).toBe("Asks live, not listening");
  expect(listeningText([platformOf("x", { way: "off", stream: null })]).text).toBe(
    "Listening is off",
  );
});
