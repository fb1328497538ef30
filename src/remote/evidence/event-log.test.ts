import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import { replayEventLog } from "./event-log.ts";
import { type BootEvent, bootEvent, bootLog, replayedRegister } from "./simulated/simulated-tee.ts";

const composeHash = "ab".repeat(32);
const events = bootLog(composeHash);
const rtMr3 = replayedRegister(events).toString("hex");

function verdictOn(log: unknown, register = rtMr3): string {
  try {
    const text = typeof log === "string" ? log : JSON.stringify(log);
    return replayEventLog(text, register).composeHash ?? "none";
  } catch (error) {
    if (!(error instanceof EarshotError) || error.code !== "evidence_refused") throw error;
    return error.details[0]?.code ?? "";
  }
}

const eventsWith = (
  offset: number,
  change: Partial<Record<keyof BootEvent | "version", unknown>>,
) => events.map((event, index) => (index === offset ? { ...event, ...change } : event));
const composeAt = events.findIndex(({ event }) => event === "compose-hash");

describe("an event log", () => {
  test("an event log that replays to RTMR3 proves the boot facts", () => {
    const {
      composeHash: provenHash,
      keyProvider,
      facts,
    } = replayEventLog(JSON.stringify(events), rtMr3);
    expect(provenHash).toBe(composeHash);
    expect(keyProvider).toEqual({ name: "simulated", id: null });
    expect(facts["app-id"]).toBe(composeHash.slice(0, 40));
    expect(Object.keys(facts)).not.toContain("system-preparing");
  });

  test("an event log can have events of other registers, whose values the policy compares", () => {
    const firmware = { imr: 0, event_type: 10, digest: "00", event: "", event_payload: "not hex" };
    expect(verdictOn([firmware, ...events])).toBe(composeHash);
  });

  test("an event log needs no digests, because the replay computes them", () => {
    expect(verdictOn(events.map(({ digest: _, ...rest }) => rest))).toBe(composeHash);
    expect(verdictOn(events.map((event) => ({ ...event, digest: "" })))).toBe(composeHash);
  });

  test("an event log can have version 2 digests", () => {
    const version2Events = events.map((event) => {
      const { event: name, event_payload: payload, event_type: type } = event;
      const digest = createHash("sha384")
        .update(JSON.stringify({ name, payload, type }))
        .digest("hex");
      return { ...event, version: 2, digest };
    });
    expect(verdictOn(version2Events, replayedRegister(version2Events).toString("hex"))).toBe(
      composeHash,
    );
    expect(verdictOn(version2Events)).toBe("event_log_mismatch");
  });

  test.each([
    ['{"name":"kms","id":"04ab"}', { name: "kms", id: "04ab" }],
    ['{"name":"none","id":""}', { name: "none", id: null }],
    ['{"name":""}', null],
    ['{"name":7}', null],
    ["kms", null],
    ["", null],
  ])("an event log names the machine's key provider, from %j", (payload, keyProvider) => {
    const providerEvent = bootEvent("key-provider", Buffer.from(payload).toString("hex"));
    const boot = events.map((event) => (event.event === "key-provider" ? providerEvent : event));
    const result = replayEventLog(JSON.stringify(boot), replayedRegister(boot).toString("hex"));
    expect(result.keyProvider).toEqual(keyProvider);
  });

  test("the replay of an event log ignores a key provider that is measured after the boot", () => {
    const kms = bootEvent("key-provider", Buffer.from('{"name":"kms"}').toString("hex"));
    const lateEvents = [...events.filter(({ event }) => event !== "key-provider"), kms];
    const result = replayEventLog(
      JSON.stringify(lateEvents),
      replayedRegister(lateEvents).toString("hex"),
    );
    expect(result.keyProvider).toBeNull();
  });

  test("the replay of an event log ignores events that programs emit after the boot", () => {
    const lateEvents = [
      ...events,
      bootEvent("compose-hash", "cd".repeat(32)),
      bootEvent("mine", "00"),
    ];
    expect(verdictOn(lateEvents, replayedRegister(lateEvents).toString("hex"))).toBe(composeHash);
    const movedEvents = [
      ...events.filter((_, index) => index !== composeAt),
      bootEvent("compose-hash", composeHash),
    ];
    expect(verdictOn(movedEvents, replayedRegister(movedEvents).toString("hex"))).toBe("none");
  });
});

describe("a changed event log is refused", () => {
  test.each([
    ["another payload", eventsWith(composeAt, { event_payload: "cd".repeat(32) }), "event_digest"],
    ["another name", eventsWith(composeAt, { event: "compose-hush" }), "event_digest"],
    ["another digest", eventsWith(composeAt, { digest: "00".repeat(48) }), "event_digest"],
    [
      "another payload without digest",
      eventsWith(composeAt, { event_payload: "cd".repeat(32), digest: "" }),
      "event_log_mismatch",
    ],
    [
      "another payload with its digest",
      eventsWith(composeAt, bootEvent("compose-hash", "cd".repeat(32))),
      "event_log_mismatch",
    ],
    ["another register", eventsWith(composeAt, { imr: 2 }), "event_log_mismatch"],
    ["another type", eventsWith(composeAt, { event_type: 1 }), "event_type_unknown"],
    ["another version of digest", eventsWith(composeAt, { version: 2 }), "event_digest"],
    ["a missing event", events.slice(1), "event_log_mismatch"],
    ["an additional event", [...events, bootEvent("mine", "00")], "event_log_mismatch"],
    ["events in another order", events.toReversed(), "event_log_mismatch"],
    ["no event", [], "event_log_mismatch"],
    [
      "a name with a colon",
      eventsWith(composeAt, { event: "compose-hash:" }),
      "event_log_malformed",
    ],
    [
      "a payload that is not hexadecimal",
      eventsWith(composeAt, { event_payload: "xyz" }),
      "event_log_malformed",
    ],
    ["not a list", {}, "event_log_malformed"],
    ["no JSON", "{", "event_log_malformed"],
    ["too deep", "[".repeat(100_000), "event_log_malformed"],
    ["too long", `[${" ".repeat(300_000)}]`, "event_log_malformed"],
    ["too many events", Array.from({ length: 5_000 }, () => ({ imr: 3 })), "event_log_malformed"],
  ])("a changed event log is refused: %s", (_name, log, code) => {
    expect(verdictOn(log)).toBe(code);
  });

  test("an event log is refused if the quote has another register", () => {
    expect(verdictOn(events, "00".repeat(48))).toBe("event_log_mismatch");
    expect(verdictOn(events, "")).toBe("event_log_mismatch");
  });

  test("an event log is refused if a boot event occurs twice, even if both were measured", () => {
    const repeatedEvents = [
      ...events.slice(0, 3),
      bootEvent("compose-hash", "cd".repeat(32)),
      ...events.slice(3),
    ];
    expect(verdictOn(repeatedEvents, replayedRegister(repeatedEvents).toString("hex"))).toBe(
      "event_repeated",
    );
  });

  test("an event log is refused if the boot is incomplete", () => {
    const incompleteEvents = events.slice(0, -1);
    expect(verdictOn(incompleteEvents, replayedRegister(incompleteEvents).toString("hex"))).toBe(
      "boot_incomplete",
    );
  });
});

test("arbitrary text does not crash the replay of an event log", () => {
  const member = fc.record(
    {
      imr: fc.oneof(fc.constant(3), fc.anything()),
      event_type: fc.oneof(fc.constant(0x08000001), fc.anything()),
      event: fc.oneof(fc.constantFrom("compose-hash", "__proto__", "system-ready"), fc.anything()),
      event_payload: fc.oneof(fc.constant("00"), fc.anything()),
      digest: fc.oneof(fc.constant(""), fc.anything()),
      version: fc.oneof(fc.constantFrom(1, 2), fc.anything()),
    },
    { requiredKeys: [] },
  );
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc.array(member).map((list) => {
      try {
        return JSON.stringify(list) ?? "";
      } catch {
        return "";
      }
    }),
  );
  fc.assert(
    fc.property(text, (log) => {
      expect(verdictOn(log)).toBeTypeOf("string");
    }),
    { numRuns: 500 },
  );
});
