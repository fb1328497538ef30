import { expect, test } from "vitest";
import { configFrom } from "../config.ts";
import { redactedSettings } from "../start-line.ts";

test("the redacted settings omit settings that have their default value", () => {
  expect(redactedSettings(configFrom({}))).toEqual({});
});

test("the redacted settings list values by variable, secrets only as set, and URLs without credentials", () => {
  const config = configFrom({
    EARSHOT_PORT: "9000",
    EARSHOT_LIVE_WINDOW: "7d",
    EARSHOT_NETWORK_REPLAY_TOKEN: "canarytoken",
    EARSHOT_JETSTREAM_URLS: "wss://canaryname:canaryword@a.example/subscribe?key=canarykey",
  });
  expect(redactedSettings(config)).toEqual({
    EARSHOT_PORT: 9000,
    EARSHOT_NETWORK_REPLAY_TOKEN: "[set]",
    EARSHOT_JETSTREAM_URLS: ["wss://a.example/subscribe"],
  });
});

test("a malformed secret is refused without being repeated", () => {
  const wrongSettings = { EARSHOT_NETWORK_REPLAY_TOKEN: "canary token" };
  expect(() => configFrom(wrongSettings)).toThrow(/EARSHOT_NETWORK_REPLAY_TOKEN/);
  expect(() => configFrom(wrongSettings)).not.toThrow(/canary/);
});
