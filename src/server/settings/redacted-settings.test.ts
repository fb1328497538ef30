import { expect, test } from "vitest";
import { configFrom } from "../config.ts";
import { redactedSettings } from "./redacted-settings.ts";

test("omits settings at their defaults", () => {
  expect(redactedSettings(configFrom({}))).toEqual({});
});

test("lists set values by variable, and secrets only as set", () => {
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

test("refuses a malformed secret without repeating it", () => {
  const wrong = { EARSHOT_NETWORK_REPLAY_TOKEN: "canary token" };
  expect(() => configFrom(wrong)).toThrow(/EARSHOT_NETWORK_REPLAY_TOKEN/);
  expect(() => configFrom(wrong)).not.toThrow(/canary/);
});
