import { createHash } from "node:crypto";
import * as z from "zod";
import { parseUntrustedJson } from "../../lib/bounded-json.ts";
import { createJsonMeter } from "../../lib/json-shape.ts";
import { readOrRefuse, refused } from "./refusal.ts";

export type KeyProvider = { name: string; id: string | null };

export type BootFacts = ReturnType<typeof replayEventLog>;

export const runtimeEvent = 0x08000001;
const maxBytes = 262_144;
const maxEvents = 4_096;
/** Evaluated events. Those after `system-ready` prove nothing about the image. */
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
  event: z.string().regex(/^[^:]{1,128}$/),
  event_payload: hex,
  digest: hex.optional(),
  version: z.int().optional(),
});
const keyProvider = z.object({ name: z.string().min(1).max(128), id: z.string().nullish() });

/** Requires that the replayed events result in RTMR3. */
export function replayEventLog(eventLog: string, rtMr3: string) {
  let register: Buffer = Buffer.alloc(48);
  let isReady = false;
  const facts = new Map<string, string>();
  for (const entry of readEvents(eventLog)) {
    register = sha384(register, eventDigest(entry));
    if (isReady || !bootEvents.has(entry.event)) continue;
    if (facts.has(entry.event)) {
      throw refused("event_repeated", `the event log repeats the boot event ${entry.event}`);
    }
    facts.set(entry.event, entry.event_payload.toLowerCase());
    isReady = entry.event === "system-ready";
  }
  if (register.toString("hex") !== rtMr3.toLowerCase()) {
    throw refused("event_log_mismatch", "replaying the event log does not yield the quote's RTMR3");
  }
  if (!isReady) {
    throw refused("boot_incomplete", "the event log has no system-ready event");
  }
  return {
    composeHash: facts.get("compose-hash") ?? null,
    keyProvider: payloadKeyProvider(facts.get("key-provider") ?? ""),
    facts: Object.fromEntries(facts) as Readonly<Record<string, string>>,
  };
}

function readEvents(text: string): z.infer<typeof event>[] {
  const message = "invalid event log";
  return readOrRefuse("event_log_malformed", message, () => {
    const bytes = Buffer.from(text, "utf8");
    if (bytes.length > maxBytes || createJsonMeter()(bytes).deepest > 8) {
      throw refused("event_log_malformed", `${message}: too long or nested too deeply`);
    }
    const events = z.array(z.looseObject({ imr: z.int() })).max(maxEvents);
    const list = events.parse(parseUntrustedJson(text));
    return list.filter(({ imr }) => imr === 3).map((entry) => event.parse(entry));
  });
}

function eventDigest(entry: z.infer<typeof event>): Buffer {
  const { event: name, event_payload: payload, event_type: type } = entry;
  if (type !== runtimeEvent) {
    throw refused("event_type_unknown", "the event log has an event of an unknown type in RTMR3");
  }
  const typeBytes = Buffer.alloc(4);
  typeBytes.writeUInt32LE(type);
  const digest =
    entry.version === 2
      ? // Members in canonical JSON order (RFC 8785).
        sha384(JSON.stringify({ name, payload: payload.toLowerCase(), type }))
      : sha384(typeBytes, `:${name}:`, Buffer.from(payload, "hex"));
  // The replay ignores the log's digests, but a mismatch shows tampering.
  if (entry.digest && digest.toString("hex") !== entry.digest.toLowerCase()) {
    const printableName = name.replaceAll(/[^\x20-\x7e]/g, "?");
    throw refused(
      "event_digest",
      `the digest of event ${printableName} does not match its payload`,
    );
  }
  return digest;
}

function payloadKeyProvider(payload: string): KeyProvider | null {
  try {
    const { name, id } = keyProvider.parse(parseUntrustedJson(Buffer.from(payload, "hex")));
    return { name, id: id || null };
  } catch {
    return null;
  }
}

function sha384(...pieces: readonly (Uint8Array | string)[]): Buffer {
  const hash = createHash("sha384");
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}
