import { expect, test } from "vitest";
import { listeningText } from "./listening-text.ts";
import { makeLivePlatform, makePlatform, makeStream } from "./status.test-support.ts";

test("the stream summary reports the slowest stream's lag", () => {
  const laggingPlatform = makePlatform("mastodon", { stream: makeStream({ lag_ms: 6_000 }) });
  expect(listeningText([makePlatform("bluesky"), laggingPlatform, makeLivePlatform("x")])).toEqual({
    isLive: true,
    text: "Listening, 6.0 s behind",
  });
});

test("a stream without a reported lag counts as live", () => {
  const unreportedPlatform = makePlatform("mastodon", { stream: makeStream({ lag_ms: null }) });
  expect(listeningText([unreportedPlatform]).text).toBe("Listening");
});

test("the stream summary names a disconnected stream even if others are connected", () => {
  const disconnectedPlatform = makePlatform("mastodon", {
    stream: makeStream({ status: "waiting" }),
  });
  expect(listeningText([makePlatform("bluesky"), disconnectedPlatform])).toEqual({
    isLive: false,
    text: "Mastodon not connected",
  });
  const pausedPlatform = makePlatform("bluesky", { stream: makeStream({ status: "paused" }) });
  expect(listeningText([pausedPlatform]).text).toBe("Bluesky paused");
});

test("the stream summary reports that a stream is catching up if it is minutes behind", () => {
  const latePlatform = makePlatform("bluesky", { stream: makeStream({ lag_ms: 180_000 }) });
  expect(listeningText([latePlatform])).toEqual({
    isLive: false,
    text: "Catching up, 3 min behind",
  });
});

test("the stream summary reports that there is no stream", () => {
  expect(listeningText([makeLivePlatform("x")]).text).toBe("No streams, searched live");
  expect(listeningText([makePlatform("x", { mode: "off", stream: null })]).text).toBe("No streams");
});
