import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  Certificate,
  CertificateList,
  Extension,
  Extensions,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  RevokedCertificate,
  SubjectPublicKeyInfo,
  TBSCertificate,
  TBSCertList,
  Time,
  Validity,
  Version,
} from "@peculiar/asn1-x509";
import { SgxItem, SgxItems, sgxExtension } from "../certificates.ts";

export type ValidityPeriod = { fromMs: number; toMs: number };
export type Issuer = { name: string; privateKey: KeyObject };

export type Authority = ReturnType<typeof makeAuthority>;

export type PckFields = {
  ppid: Buffer;
  platformInstanceId: Buffer;
  fmspc: string;
  cpuSvn: Buffer;
  pceSvn: number;
};

/** Part of every certificate, so that none can be mistaken for a real one. */
export const disclaimer = "SIMULATED - NOT A TEE";
export const serials = { root: 1, platformCa: 2, tcbSigning: 3, pck: 4 };

export type KeyPair = ReturnType<typeof makeKeyPair>;

export const makeKeyPair = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

export function makeAuthority(nowMs: number) {
  const validity = { fromMs: nowMs - 86_400_000, toMs: nowMs + 3_650 * 86_400_000 };
  const [rootKeys, platformKeys, signerKeys] = [makeKeyPair(), makeKeyPair(), makeKeyPair()];
  const issuer = { name: "Simulated Root CA", privateKey: rootKeys.privateKey };
  const platformCa = { name: "Simulated PCK Platform CA", privateKey: platformKeys.privateKey };
  const issue = (name: string, { publicKey }: KeyPair, serial: number, isCa: boolean) =>
    makeCertificate({ name, issuer, publicKey, serial, isCa, validity });
  const rootDer = issue(issuer.name, rootKeys, serials.root, true);
  const signer = issue("Simulated TCB Signing", signerKeys, serials.tcbSigning, false);
  return {
    valid: validity,
    rootDer,
    root: issuer,
    platformCa: {
      ...platformCa,
      certificate: issue(platformCa.name, platformKeys, serials.platformCa, true),
    },
    tcbSigning: { privateKey: signerKeys.privateKey, chain: toPem(signer) + toPem(rootDer) },
  };
}

export function issuePckChain(authority: Authority, publicKey: KeyObject, ids: PckFields): string {
  const certificate = makeCertificate({
    name: "Simulated PCK Certificate",
    issuer: authority.platformCa,
    publicKey,
    serial: serials.pck,
    isCa: false,
    validity: authority.valid,
    extensions: [new Extension({ extnID: sgxExtension, extnValue: sgxItems(ids) })],
  });
  return [certificate, authority.platformCa.certificate, authority.rootDer].map(toPem).join("");
}

function sgxItems(ids: PckFields): OctetString {
  const der = (tag: number, content: Uint8Array) => Buffer.of(tag, content.length, ...content);
  const item = (number: string, value: Uint8Array) =>
    Object.assign(new SgxItem(), { id: `${sgxExtension}.${number}`, value: toArrayBuffer(value) });
  const levels = [
    ...[...ids.cpuSvn].map((svn, index) => item(`2.${index + 1}`, der(2, Buffer.of(svn)))),
    item("2.17", der(2, Buffer.of(ids.pceSvn))),
    item("2.18", der(4, ids.cpuSvn)),
  ];
  const items = new SgxItems([
    item("1", der(4, ids.ppid)),
    item("2", encodeDer(new SgxItems(levels))),
    item("3", der(4, Buffer.alloc(2))),
    item("4", der(4, Buffer.from(ids.fmspc, "hex"))),
    item("5", der(10, Buffer.of(0))),
    item("6", der(4, ids.platformInstanceId)),
  ]);
  return new OctetString(encodeDer(items));
}

const ecdsaSha256 = new AlgorithmIdentifier({ algorithm: "1.2.840.10045.4.3.2" });

export function makeCertificate({
  name,
  issuer,
  publicKey,
  serial,
  isCa,
  validity,
  extensions = [],
}: {
  name: string;
  issuer: Issuer;
  publicKey: KeyObject;
  serial: number;
  isCa: boolean;
  validity: ValidityPeriod;
  extensions?: readonly Extension[];
}): Buffer {
  const usage = isCa
    ? KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign
    : KeyUsageFlags.digitalSignature;
  const criticalExtension = (extnID: string, value: unknown) =>
    new Extension({ extnID, critical: true, extnValue: new OctetString(encodeDer(value)) });
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: toArrayBuffer(Buffer.of(serial)),
    signature: ecdsaSha256,
    issuer: distinguishedName(issuer.name),
    validity: new Validity({
      notBefore: new Date(validity.fromMs),
      notAfter: new Date(validity.toMs),
    }),
    subject: distinguishedName(name),
    subjectPublicKeyInfo: AsnConvert.parse(
      publicKey.export({ type: "spki", format: "der" }),
      SubjectPublicKeyInfo,
    ),
    extensions: new Extensions([
      criticalExtension("2.5.29.19", new BasicConstraints({ cA: isCa })),
      criticalExtension("2.5.29.15", new KeyUsage(usage)),
      ...extensions,
    ]),
  });
  const signatureValue = toArrayBuffer(
    sign("sha256", encodeDer(tbsCertificate), issuer.privateKey),
  );
  const signatureAlgorithm = ecdsaSha256;
  return encodeDer(new Certificate({ tbsCertificate, signatureAlgorithm, signatureValue }));
}

export function makeRevocationList(
  issuer: Issuer,
  revokedSerials: readonly number[],
  { fromMs, toMs }: ValidityPeriod,
): Buffer {
  const revocationDate = new Time(new Date(fromMs));
  const revokedCertificates = revokedSerials.map(
    (serial) =>
      new RevokedCertificate({ userCertificate: toArrayBuffer(Buffer.of(serial)), revocationDate }),
  );
  const tbsCertList = new TBSCertList({
    version: Version.v2,
    signature: ecdsaSha256,
    issuer: distinguishedName(issuer.name),
    thisUpdate: new Time(new Date(fromMs)),
    nextUpdate: new Time(new Date(toMs)),
    ...(revokedCertificates.length > 0 && { revokedCertificates }),
  });
  const signature = toArrayBuffer(sign("sha256", encodeDer(tbsCertList), issuer.privateKey));
  return encodeDer(
    new CertificateList({ tbsCertList, signatureAlgorithm: ecdsaSha256, signature }),
  );
}

export function toPem(certificate: Uint8Array): string {
  const lines = Buffer.from(certificate)
    .toString("base64")
    .replaceAll(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function distinguishedName(commonName: string): Name {
  const attribute = (type: string, utf8String: string) =>
    new RelativeDistinguishedName([
      new AttributeTypeAndValue({ type, value: new AttributeValue({ utf8String }) }),
    ]);
  return new Name([attribute("2.5.4.3", commonName), attribute("2.5.4.10", disclaimer)]);
}

const encodeDer = (value: unknown): Buffer => Buffer.from(AsnConvert.serialize(value));
const toArrayBuffer = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
