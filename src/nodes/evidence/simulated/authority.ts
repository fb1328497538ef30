import type { KeyObject } from "node:crypto";
import {
  extension,
  type KeyPair,
  makeCertificate,
  makeKeyPair,
  pemOf,
  type Span,
} from "./certificate-writer.ts";
import { enumerated, identifier, integer, octets, sequence } from "./der-writer.ts";

/** A throw-away copy of what Intel keeps: a root, an authority for machines, and a signer of collateral. */
export type Authority = {
  valid: Span;
  rootDer: Buffer;
  root: Issuer;
  machines: Issuer & { certificate: Buffer };
  collateral: { privateKey: KeyObject; chain: string };
};

type Issuer = { name: string; privateKey: KeyObject };

/** What the certificate of a machine says of it. */
export type MachineIds = {
  ppid: Buffer;
  platformInstanceId: Buffer;
  fmspc: string;
  cpuSvn: Buffer;
  pceSvn: number;
};

export const serials = { root: 1, machines: 2, collateral: 3, machine: 0x1234 };

const sgxExtension = "1.2.840.113741.1.13.1";
const years = 365 * 86_400_000;

export function makeAuthority(nowMs: number): Authority {
  const valid = { fromMs: nowMs - 86_400_000, toMs: nowMs + 10 * years };
  const [rootKeys, machineKeys, signerKeys] = [makeKeyPair(), makeKeyPair(), makeKeyPair()];
  const root = { name: "Simulated Root CA", privateKey: rootKeys.privateKey };
  const machines = { name: "Simulated PCK Platform CA", privateKey: machineKeys.privateKey };
  const issue = (name: string, keys: KeyPair, serial: number, mayIssue: boolean) =>
    makeCertificate({ name, issuer: root, publicKey: keys.publicKey, serial, mayIssue, valid });
  const rootDer = issue(root.name, rootKeys, serials.root, true);
  const certificate = issue(machines.name, machineKeys, serials.machines, true);
  const signer = issue("Simulated TCB Signing", signerKeys, serials.collateral, false);
  return {
    valid,
    rootDer,
    root,
    machines: { ...machines, certificate },
    collateral: { privateKey: signerKeys.privateKey, chain: pemOf(signer) + pemOf(rootDer) },
  };
}

/** The chain of a machine in PEM, from its own certificate to the root. */
export function issueMachine(authority: Authority, publicKey: KeyObject, ids: MachineIds): string {
  const certificate = makeCertificate({
    name: "Simulated PCK Certificate",
    issuer: authority.machines,
    publicKey,
    serial: serials.machine,
    mayIssue: false,
    valid: authority.valid,
    extensions: [extension(sgxExtension, sgxItems(ids))],
  });
  return [certificate, authority.machines.certificate, authority.rootDer].map(pemOf).join("");
}

function sgxItems(ids: MachineIds): Buffer {
  const item = (number: string, value: Uint8Array) =>
    sequence(identifier(`${sgxExtension}.${number}`), value);
  const components = [...ids.cpuSvn].map((svn, index) => item(`2.${index + 1}`, integer(svn)));
  const levels = [
    ...components,
    item("2.17", integer(ids.pceSvn)),
    item("2.18", octets(ids.cpuSvn)),
  ];
  return sequence(
    item("1", octets(ids.ppid)),
    item("2", sequence(...levels)),
    item("3", octets(Buffer.alloc(2))),
    item("4", octets(Buffer.from(ids.fmspc, "hex"))),
    item("5", enumerated(0)),
    item("6", octets(ids.platformInstanceId)),
  );
}
