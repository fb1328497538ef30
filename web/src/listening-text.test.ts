import { expect, test } from "vitest";
import { listeningText } from "./listening-text.ts";
import { makeLivePlatform, makePlatform, makeStream } from "./status.test-support.ts";

test("the stream summary reports the slowest stream's lag", () => {
  const behind = makePlatform("mastodon", { stream: makeStream({ lag_ms: 6_000 }) });
  expect(listeningText([makePlatform("bluesky"), behind, makeLivePlatform("x")])).toEqual({
    isLive: true,
    text: "Listening, 6.0 s behind",
  });
});

test("a stream without a reported lag counts as live", () => {
  const quiet = makePlatform("mastodon", { stream: makeStream({ lag_ms: null }) });
  expect(listeningText([quiet]).text).toBe("Listening");
});

test("the stream summary names a disconnected stream even if others are connected", () => {
  const away = makePlatform("mastodon", { stream: makeStream({ status: "waiting" }) });
  expect(listeningText([makePlatform("bluesky"), away])).toEqual({
    isLive: false,
    text: "Mastodon not connected",
  });
  const paused = makePlatform("bluesky", { stream: makeStream({ status: "paused" }) });
  expect(listeningText([paused]).text).toBe("Bluesky paused");
});

test("the stream summary reports that a stream is catching up if it is minutes behind", () => {
  const late = makePlatform("bluesky", { stream: makeStream({ lag_ms: 180_000 }) });
  expect(listeningText([late])).toEqual({ isLive: false, text: "Catching up, 3 min behind" });
});

test("the stream summary reports that there is no stream", () => {
  expect(listeningText([makeLivePlatform("x")]).text).toBe("No streams, searched live");
  expect(listeningText([makePlatform("x", { mode: "off", stream: null })]).text).toBe("No streams");
});
