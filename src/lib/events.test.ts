import { expect, test } from "vitest";
import { Events } from "./events.ts";

type Payloads = { ended: { uuid: string }; stopped: null };

test("an event calls only its own listeners, synchronously and in order", () => {
  const calls: string[] = [];
  const events = new Events<Payloads>(() => calls.push("error"));
  events.on("ended", ({ uuid }) => calls.push(`first ${uuid}`));
  events.on("stopped", () => calls.push("stopped"));
  events.on("ended", ({ uuid }) => calls.push(`second ${uuid}`));
  events.emit("ended", { uuid: "a" });
  expect(calls).toEqual(["first a", "second a"]);
});

test("an error thrown by a listener is reported, and the other listeners are still called", () => {
  const calls: string[] = [];
  const events = new Events<Payloads>((error, event) => calls.push(`${event}: ${error}`));
  events.on("stopped", () => {
    throw new Error("broken");
  });
  events.on("stopped", () => calls.push("called"));
  events.emit("stopped", null);
  expect(calls).toEqual(["stopped: Error: broken", "called"]);
});
