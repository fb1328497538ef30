import { createHash } from "node:crypto";
import * as z from "zod";
import { parseUntrustedJson } from "../../lib/bounded-json.ts";
import { createJsonMeter } from "../../lib/json-shape.ts";
import { readOrRefuse, refused } from "./refusal.ts";

/** As the machine has measured it. `id` names one of several with the name, such as the public key of a key service. */
export type KeyProvider = { name: string; id: string | null };

/** What the boot of a virtual machine of dstack has measured into RTMR3. */
export type BootFacts = {
  /** SHA-256 of the compose file, in hexadecimal digits; null when none was measured. */
  composeHash: string | null;
  /** Who gave the machine the keys of its disk; null when none was measured that can be read. */
  keyProvider: KeyProvider | null;
  /** The payloads of the events of the boot by their names, in hexadecimal digits. */
  facts: Readonly<Record<string, string>>;
};

/** The type of the events that are measured while a machine runs. */
export const runtimeEvent = 0x08000001;
const mostBytes = 262_144;
const mostEvents = 4_096;
/** What the boot measures once; what stands after `system-ready` comes from programs and proves nothing about the image. */
const bootEvents: ReadonlySet<string> = new Set([
  "app-id",
  "compose-hash",
  "instance-id",
  "key-provider",
  "os-image-hash",
  "boot-mr-done",
  "system-ready",
]);

const hex = z.string().regex(/^(?:[0-9a-f]{2})*$/i);
const event = z.object({
  imr: z.int(),
  event_type: z.int(),
  // A colon would let one measured text be read as two names.
  event: z.string().regex(/^[^:]{1,128}$/),
  event_payload: hex,
  digest: hex.optional(),
  version: z.int().optional(),
});
type RuntimeEvent = z.infer<typeof event>;
const keyProvider = z.object({ name: z.string().min(1).max(128), id: z.string().nullish() });

/**
 * Replays the runtime events of an event log from their payloads and holds them against RTMR3 of the quote: what it says of the
 * boot is what was measured then.
 *
 * Errors: `evidence_refused` with `event_log_malformed`, `event_type_unknown`, `event_digest`, `event_repeated`,
 * `event_log_mismatch` or `boot_incomplete`.
 * @param eventLog JSON text as the guest agent gives it
 * @param rtMr3 in hexadecimal digits
 */
export function replayEventLog(eventLog: string, rtMr3: string): BootFacts {
  let measured: Buffer = Buffer.alloc(48);
  let isReady = false;
  const facts = new Map<string, string>();
  for (const read of readEvents(eventLog)) {
    const digest = digestOf(read);
    measured = sha384(measured, digest);
    if (isReady || !bootEvents.has(read.event)) continue;
    if (facts.has(read.event)) {
      throw refused("event_repeated", `the event log has the boot event ${read.event} twice`);
    }
    facts.set(read.event, read.event_payload.toLowerCase());
    isReady = read.event === "system-ready";
  }
  if (measured.toString("hex") !== rtMr3.toLowerCase()) {
    throw refused(
      "event_log_mismatch",
      "the event log is not what RTMR3 of the quote was measured from",
    );
  }
  if (!isReady) {
    throw refused(
      "boot_incomplete",
      "the event log has no event system-ready: the boot had not ended",
    );
  }
  const composeHash = facts.get("compose-hash") ?? null;
  const keyProvider = keyProviderOf(facts.get("key-provider") ?? "");
  return { composeHash, keyProvider, facts: Object.fromEntries(facts) };
}

/** The events of RTMR3. Those of firmware and kernel are in the other registers, which a policy knows as a whole. */
function readEvents(text: string): RuntimeEvent[] {
  return readOrRefuse("event_log_malformed", "the event log cannot be read", () => {
    const bytes = Buffer.from(text, "utf8");
    if (bytes.length > mostBytes) throw malformed(`it is longer than ${mostBytes} bytes`);
    if (createJsonMeter()(bytes).deepest > 8) throw malformed("it nests too deep");
    const list = z
      .array(z.looseObject({ imr: z.int() }))
      .max(mostEvents)
      .parse(parseUntrustedJson(text));
    return list.filter(({ imr }) => imr === 3).map((written) => event.parse(written));
  });
}

function digestOf(read: RuntimeEvent): Buffer {
  if (read.event_type !== runtimeEvent) {
    throw refused(
      "event_type_unknown",
      "the event log has an event in RTMR3 of a type that is not known",
    );
  }
  const payload = Buffer.from(read.event_payload, "hex");
  const digest =
    read.version === 2 ? digestOfJson(read.event, payload) : digestOfText(read.event, payload);
  // Told digests are not what is replayed; one that differs shows that the log was changed.
  if (read.digest && !digest.equals(Buffer.from(read.digest, "hex"))) {
    throw refused(
      "event_digest",
      `the event ${printable(read.event)} has another digest than its payload`,
    );
  }
  return digest;
}

function digestOfText(name: string, payload: Buffer): Buffer {
  const type = Buffer.alloc(4);
  type.writeUInt32LE(runtimeEvent);
  return sha384(type, Buffer.from(`:${name}:`, "utf8"), payload);
}

/** The keys stand in the order that canonical JSON (RFC 8785) puts them in. */
function digestOfJson(name: string, payload: Buffer): Buffer {
  const json = JSON.stringify({ name, payload: payload.toString("hex"), type: runtimeEvent });
  return sha384(Buffer.from(json, "utf8"));
}

/** What no policy could name proves nothing, and is refused where one has to. */
function keyProviderOf(payload: string): KeyProvider | null {
  try {
    const { name, id } = keyProvider.parse(parseUntrustedJson(Buffer.from(payload, "hex")));
    return { name, id: id || null };
  } catch {
    return null;
  }
}

const sha384 = (...pieces: readonly Uint8Array[]): Buffer => {
  const hash = createHash("sha384");
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
};

const printable = (name: string) => name.replaceAll(/[^\x20-\x7e]/g, "?");
const malformed = (reason: string) =>
  refused("event_log_malformed", `the event log cannot be read: ${reason}`);
