import { createHash, type KeyObject } from "node:crypto";
import { certificatesOf } from "../certificates.ts";
import type { Collateral, Evidence } from "../evidence.ts";
import type { NodePolicy } from "../policy.ts";
import { issueMachine, type MachineIds, makeAuthority } from "./authority.ts";
import { type BootEvent, bootLog, measuredBy, mrConfigIdOf } from "./boot-log.ts";
import { makeKeyPair, pemOf } from "./certificate-writer.ts";
import { type CollateralFields, usualCollateral, writeCollateral } from "./collateral-writer.ts";
import { type QuoteFields, usualFields, writeQuote } from "./quote-writer.ts";

/**
 * A TEE made in software: it signs quotes in Intel's format under a root that was made with it, so that all of the code that
 * verifies runs. It proves nothing about any machine, and every certificate of it says so.
 */
export type SimulatedTee = {
  rootDer: Uint8Array;
  /** The private key of the machine's certificate, and its chain in PEM. */
  pckKey: KeyObject;
  chain: string;
  /** SHA-256 of the compose file that it pretends to run, in hexadecimal digits. */
  composeHash: string;
  /** What its quotes say in place of the usual. */
  fields: Partial<QuoteFields>;
  /** @param reportData 64 bytes */
  quote(reportData: Uint8Array, fields?: Partial<QuoteFields>): Buffer;
  /** A quote with the event log of a boot; RTMR3 is what the log was measured to. */
  evidence(
    reportData: Uint8Array,
    fields?: Partial<QuoteFields> & { events?: readonly BootEvent[] },
  ): Evidence;
};

/** A simulated TEE with what verifies its quotes. */
export type SimulatedWorld = SimulatedTee & {
  rootPem: string;
  collateral(fields?: Partial<CollateralFields>): Collateral;
  /** A policy that admits it. */
  policy(fields?: Partial<NodePolicy>): NodePolicy;
};

const cpuSvn = Buffer.alloc(16, 2);
const usualComposeHash = createHash("sha256").update("simulated compose file").digest("hex");

export function createSimulatedTee(options: {
  nowMs: number;
  composeHash?: string;
}): SimulatedWorld {
  const { nowMs, composeHash = usualComposeHash } = options;
  const authority = makeAuthority(nowMs);
  const pck = makeKeyPair();
  const ids = idsOf(pck.publicKey);
  const chain = issueMachine(authority, pck.publicKey, ids);
  return {
    ...teeOf({ pckKey: pck.privateKey, chain, composeHash, fields: {} }),
    rootPem: pemOf(authority.rootDer),
    collateral: (fields = {}) =>
      writeCollateral(authority, ids, { ...usualCollateral(nowMs), ...fields }),
    policy: (fields = {}) => ({ ...policyFor(ids, composeHash), ...fields }),
  };
}

/** The TEE of a machine whose certificate was issued before. MRCONFIGID names the compose file, as dstack has it. */
export function teeOf(
  machine: Pick<SimulatedTee, "pckKey" | "chain" | "composeHash" | "fields">,
): SimulatedTee {
  const { pckKey, chain, composeHash } = machine;
  const usual = {
    ...usualFields,
    mrConfigId: mrConfigIdOf(1, composeHash),
    ...machine.fields,
  };
  const signer = { attestation: makeKeyPair(), pckKey, chain, cpuSvn };
  const root = certificatesOf(chain, "chain of the simulated TEE").at(-1);
  const quote: SimulatedTee["quote"] = (reportData, fields = {}) =>
    writeQuote(reportData, { ...usual, ...fields }, signer);
  return {
    ...machine,
    rootDer: root?.raw ?? Buffer.alloc(0),
    quote,
    evidence: (reportData, { events = bootLog(composeHash), ...fields } = {}) => {
      const rtMr = [...usual.rtMr.slice(0, 3), measuredBy(events)];
      return {
        quote: quote(reportData, { rtMr, ...fields }).toString("hex"),
        event_log: JSON.stringify(events),
        vm_config: null,
      };
    },
  };
}

/** Names of the machine that follow from its key. */
function idsOf(publicKey: KeyObject): MachineIds {
  const key = publicKey.export({ type: "spki", format: "der" });
  const digest = createHash("sha256").update(key).digest();
  return {
    ppid: digest.subarray(0, 16),
    platformInstanceId: digest.subarray(16),
    fmspc: "00906ea10000",
    cpuSvn,
    pceSvn: 11,
  };
}

function policyFor(ids: MachineIds, composeHash: string): NodePolicy {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
  return {
    tcb_status: ["UpToDate"],
    accepted_advisories: [],
    min_tcb_evaluation_number: 18,
    images: [
      {
        name: "simulated",
        mrtd: hex(usualFields.mrTd),
        rtmr: usualFields.rtMr.slice(0, 3).map(hex),
      },
    ],
    compose_hashes: [composeHash],
    key_providers: [{ name: "simulated" }],
    platforms: [ids.platformInstanceId.toString("hex")],
    td_attributes: "0000001000000000",
    xfam: "e702060000000000",
    mr_config_versions: [1],
  };
}
