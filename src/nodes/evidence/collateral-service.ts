import type { Headers } from "undici";
import { EarshotError } from "../../lib/errors.ts";
import type { FetchedAnswer } from "../../lib/fetched-answer.ts";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import { withoutEnding } from "../../query/characters.ts";
import { readCollateral } from "./collateral-text.ts";
import type { Collateral } from "./evidence.ts";
import type { SignedQuote } from "./signed-quote.ts";

/** What collateral is issued for: a kind of machine, and the authority that issued its certificate. */
export type CollateralKey = {
  /** 12 hexadecimal digits in lower case. */
  fmspc: string;
  authority: "platform" | "processor";
};

/** Which collateral verifies a quote, going by the certificate of its machine. */
export function collateralKeyOf({ chain, platform }: SignedQuote): CollateralKey {
  const isProcessor = /^CN=.*PCK Processor CA/m.test(chain[0]?.issuer ?? "");
  return { fmspc: platform.fmspc, authority: isProcessor ? "processor" : "platform" };
}

/** The name of the collateral's file in a folder. */
export const collateralFileName = ({ fmspc, authority }: CollateralKey): string =>
  `tdx-${fmspc}-${authority}.json`;

/** Intel's own service has no revocation list of the root; it lies where the root itself says. */
const intelHost = "api.trustedservices.intel.com";
const intelRootList = "https://certificates.trustedservices.intel.com/IntelSGXRootCA.der";

const limits = { maxBytes: 524_288 };

/**
 * Asks a caching service (PCCS, or Intel's PCS) for collateral: four requests at once. What comes is put together, and not
 * verified. Errors: `collateral_unreadable`, and those of the fetch.
 */
export async function fetchCollateral(
  url: string,
  fetch: GuardedFetch,
  key: CollateralKey,
): Promise<Collateral> {
  const base = withoutEnding(url, "/").replace(/\/(sgx|tdx)\/certification\/v4$/, "");
  const isIntels = new URL(base).hostname === intelHost;
  const sgx = `${base}/sgx/certification/v4`;
  const tdx = `${base}/tdx/certification/v4`;
  const ask = async (address: string) => requireFound(await fetch(address, limits), address);
  const [pckList, tcb, identity, rootList] = await Promise.all([
    ask(`${sgx}/pckcrl?ca=${key.authority}&encoding=der`),
    ask(`${tdx}/tcb?fmspc=${key.fmspc.toUpperCase()}`),
    ask(`${tdx}/qe/identity?update=standard`),
    ask(isIntels ? intelRootList : `${sgx}/rootcacrl`),
  ]);
  const tcbInfo = signedPart(tcb, "tcbInfo");
  const qeIdentity = signedPart(identity, "enclaveIdentity");
  return readCollateral({
    pck_crl_issuer_chain: chainIn(pckList.headers, ["sgx-pck-crl-issuer-chain"]),
    root_ca_crl: blobOf(rootList.body),
    pck_crl: blobOf(pckList.body),
    tcb_info_issuer_chain: chainIn(tcb.headers, [
      "tcb-info-issuer-chain",
      "sgx-tcb-info-issuer-chain",
    ]),
    tcb_info: tcbInfo.text,
    tcb_info_signature: tcbInfo.signature,
    qe_identity_issuer_chain: chainIn(identity.headers, ["sgx-enclave-identity-issuer-chain"]),
    qe_identity: qeIdentity.text,
    qe_identity_signature: qeIdentity.signature,
  });
}

function requireFound(answer: FetchedAnswer, address: string): FetchedAnswer {
  if (answer.status === 200) return answer;
  const { host, pathname } = new URL(address);
  throw unreadable(`${host} answers ${pathname} with status ${answer.status}`);
}

/** Chains come percent-encoded in a header, by one name or another. */
function chainIn(headers: Headers, names: readonly string[]): string {
  const written = names.map((name) => headers.get(name)).find((value) => value !== null);
  if (written === undefined || written === null)
    throw unreadable(`the header ${names[0]} is missing`);
  try {
    return decodeURIComponent(written);
  } catch {
    throw unreadable(`the header ${names[0]} is not percent-encoded`);
  }
}

/** Signatures cover the text of one member, which Intel writes without any white space. */
function signedPart(answer: FetchedAnswer, name: string): { text: string; signature: unknown } {
  const body = answer.json();
  const members: Readonly<Record<string, unknown>> =
    typeof body === "object" && body !== null ? { ...body } : {};
  return { text: JSON.stringify(members[name]) ?? "", signature: members.signature };
}

/** Some services give lists in DER, others in hexadecimal digits. */
function blobOf(body: Uint8Array): string {
  const bytes = Buffer.from(body);
  const text = bytes.toString("latin1").trim();
  return /^(?:[0-9a-f]{2})+$/i.test(text) ? text : bytes.toString("hex");
}

const unreadable = (reason: string) =>
  new EarshotError("collateral_unreadable", `the collateral cannot be read: ${reason}`);
