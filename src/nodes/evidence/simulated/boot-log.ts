import { createHash } from "node:crypto";

/** An event of a guest agent's log, as JSON holds it. */
export type BootEvent = {
  imr: number;
  event_type: number;
  digest: string;
  event: string;
  event_payload: string;
};

const runtimeEvent = 0x08000001;

/** The runtime events of a boot of dstack that measured that compose file. */
export function bootLog(composeHash: string): BootEvent[] {
  return [
    bootEvent("system-preparing", ""),
    bootEvent("app-id", composeHash.slice(0, 40)),
    bootEvent("compose-hash", composeHash),
    bootEvent("instance-id", composeHash.slice(24)),
    bootEvent("boot-mr-done", ""),
    bootEvent("key-provider", Buffer.from('{"name":"simulated"}').toString("hex")),
    bootEvent("system-ready", ""),
  ];
}

/** @param payload in hexadecimal digits */
export function bootEvent(name: string, payload: string): BootEvent {
  const type = Buffer.alloc(4);
  type.writeUInt32LE(runtimeEvent);
  const text = Buffer.concat([type, Buffer.from(`:${name}:`), Buffer.from(payload, "hex")]);
  const digest = createHash("sha384").update(text).digest("hex");
  return { imr: 3, event_type: runtimeEvent, digest, event: name, event_payload: payload };
}

/** What dstack puts into MRCONFIGID; the hash of versions 2 and 3 is only that of some configuration. */
export function mrConfigIdOf(version: 1 | 2 | 3, composeHash: string): Buffer {
  const hash = Buffer.from(composeHash, "hex");
  const named = version === 1 ? hash : createHash("sha256").update(hash).digest();
  return Buffer.concat([Buffer.of(version), named, Buffer.alloc(15)]);
}

/** What RTMR3 is after those events. */
export function measuredBy(events: readonly BootEvent[]): Buffer {
  return events.reduce(
    (measured, { digest }) =>
      createHash("sha384").update(measured).update(Buffer.from(digest, "hex")).digest(),
    Buffer.alloc(48),
  );
}
