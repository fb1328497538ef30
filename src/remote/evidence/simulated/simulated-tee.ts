import { createHash, type KeyObject } from "node:crypto";
import { parseCertificates } from "../certificates.ts";
import { runtimeEvent } from "../event-log.ts";
import type { Collateral, Evidence } from "../evidence.ts";
import { type NodePolicy, readPolicy } from "../policy.ts";
import { issuePckChain, makeAuthority, makeKeyPair, type PckFields, toPem } from "./authority.ts";
import { type CollateralFields, writeCollateral } from "./collateral-writer.ts";
import { defaultFields, type QuoteFields, writeQuote } from "./quote-writer.ts";

export type SimulatedTee = ReturnType<typeof makeTee>;
export type SimulatedWorld = ReturnType<typeof createSimulatedTee>;

export type BootEvent = ReturnType<typeof bootEvent>;

const cpuSvn = Buffer.alloc(16, 2);
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest();

export function createSimulatedTee({ nowMs }: { nowMs: number }) {
  const composeHash = sha256("simulated compose file").toString("hex");
  const authority = makeAuthority(nowMs);
  const pck = makeKeyPair();
  const id = sha256(pck.publicKey.export({ type: "spki", format: "der" }));
  const ids: PckFields = {
    ppid: id.subarray(0, 16),
    platformInstanceId: id.subarray(16),
    fmspc: "00906ea10000",
    cpuSvn,
    pceSvn: 11,
  };
  const rootPem = toPem(authority.rootDer);
  const chain = issuePckChain(authority, pck.publicKey, ids);
  return {
    ...makeTee({ pckKey: pck.privateKey, chain, composeHash, fields: {} }),
    rootPem,
    collateral: (fields: Partial<CollateralFields> = {}): Collateral =>
      writeCollateral(authority, ids, nowMs, fields),
    policy: (fields: Partial<NodePolicy> = {}): NodePolicy => ({
      ...policyFor(ids, composeHash, rootPem),
      ...fields,
    }),
  };
}

/** MRCONFIGID names the compose file, as on dstack. */
export function makeTee(machine: {
  pckKey: KeyObject;
  chain: string;
  composeHash: string;
  fields: Partial<QuoteFields>;
}) {
  const { pckKey, chain, composeHash } = machine;
  const mrConfigId = makeMrConfigId(1, composeHash);
  const defaults = { ...defaultFields, mrConfigId, ...machine.fields };
  const signer = { attestation: makeKeyPair(), pckKey, chain, cpuSvn };
  const root = parseCertificates(chain, "simulated TEE chain").at(-1);

  const quote = (reportData: Uint8Array, fields: Partial<QuoteFields> = {}): Buffer =>
    writeQuote({ ...defaults, ...fields, reportData }, signer);

  function evidence(
    reportData: Uint8Array,
    overrides: Partial<QuoteFields> & { events?: readonly BootEvent[] } = {},
  ): Evidence {
    const { events = bootLog(composeHash), ...fields } = overrides;
    const rtMr = [...defaults.rtMr.slice(0, 3), replayedRegister(events)];
    return {
      quote: quote(reportData, { rtMr, ...fields }).toString("hex"),
      event_log: JSON.stringify(events),
      vm_config: null,
    };
  }

  return { ...machine, rootDer: root?.raw ?? Buffer.alloc(0), quote, evidence };
}

function policyFor(ids: PckFields, composeHash: string, rootPem: string): NodePolicy {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
  const { mrTd, rtMr, tdAttributes, xfam } = defaultFields;
  const policy = {
    tcb_status: ["UpToDate"],
    accepted_advisories: [],
    min_tcb_evaluation_number: 18,
    images: [{ name: "simulated", mrtd: hex(mrTd), rtmr: rtMr.slice(0, 3).map(hex) }],
    compose_hashes: [composeHash],
    key_providers: [{ name: "simulated" }],
    platforms: [hex(ids.platformInstanceId)],
    td_attributes: hex(tdAttributes),
    xfam: hex(xfam),
    simulated_root: rootPem,
  };
  return readPolicy(JSON.stringify(policy));
}

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

export function bootEvent(event: string, payload: string) {
  const type = Buffer.alloc(4);
  type.writeUInt32LE(runtimeEvent);
  const eventBytes = Buffer.concat([type, Buffer.from(`:${event}:`), Buffer.from(payload, "hex")]);
  const digest = createHash("sha384").update(eventBytes).digest("hex");
  return { imr: 3, event_type: runtimeEvent, digest, event, event_payload: payload };
}

/** Real versions 2 and 3 hash more than the compose file. */
export function makeMrConfigId(version: 1 | 2 | 3, composeHash: string): Buffer {
  const hash = Buffer.from(composeHash, "hex");
  return Buffer.concat([Buffer.of(version), version === 1 ? hash : sha256(hash), Buffer.alloc(15)]);
}

export function replayedRegister(events: readonly BootEvent[]): Buffer {
  return events.reduce(
    (rtmr, { digest }) => createHash("sha384").update(rtmr).update(digest, "hex").digest(),
    Buffer.alloc(48),
  );
}
