import { withoutEnding } from "@earshot/query/tree";
import type { FetchedResponse } from "../../lib/fetched-response.ts";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import { asFields } from "../../platforms/fields.ts";
import { readCollateral, unreadableCollateral } from "./collateral-text.ts";
import type { Collateral } from "./evidence.ts";
import type { SignedQuote } from "./signed-quote.ts";

export type CollateralKey = {
  fmspc: string;
  authority: "platform" | "processor";
};

export function collateralKey({ chain, platform }: SignedQuote): CollateralKey {
  const isProcessor = /^CN=.*PCK Processor CA/m.test(chain[0]?.issuer ?? "");
  return { fmspc: platform.fmspc, authority: isProcessor ? "processor" : "platform" };
}

export const collateralFileName = ({ fmspc, authority }: CollateralKey): string =>
  `tdx-${fmspc}-${authority}.json`;

/** Intel's PCS does not serve the root CRL. */
const intelHost = "api.trustedservices.intel.com";
const intelRootList = "https://certificates.trustedservices.intel.com/IntelSGXRootCA.der";

/** Does not verify the result. */
export async function fetchCollateral(
  url: string,
  fetch: GuardedFetch,
  { authority, fmspc }: CollateralKey,
): Promise<Collateral> {
  const base = withoutEnding(url, "/").replace(/\/(sgx|tdx)\/certification\/v4$/, "");
  const [sgx, tdx] = [`${base}/sgx/certification/v4`, `${base}/tdx/certification/v4`];
  const get = async (requestUrl: string): Promise<FetchedResponse> => {
    const response = await fetch(requestUrl, { maxBytes: 524_288 });
    if (response.status === 200) return response;
    const { host, pathname } = new URL(requestUrl);
    throw unreadableCollateral(`${host} returned ${response.status} for ${pathname}`);
  };
  const [pckList, tcb, identity, rootList] = await Promise.all([
    get(`${sgx}/pckcrl?ca=${authority}&encoding=der`),
    get(`${tdx}/tcb?fmspc=${fmspc.toUpperCase()}`),
    get(`${tdx}/qe/identity?update=standard`),
    get(new URL(base).hostname === intelHost ? intelRootList : `${sgx}/rootcacrl`),
  ]);
  const tcbInfo = signedPart(tcb, "tcbInfo");
  const qeIdentity = signedPart(identity, "enclaveIdentity");
  return readCollateral({
    pck_crl_issuer_chain: chainIn(pckList, "sgx-pck-crl-issuer-chain"),
    root_ca_crl: readBlob(rootList.body),
    pck_crl: readBlob(pckList.body),
    tcb_info_issuer_chain: chainIn(tcb, "tcb-info-issuer-chain", "sgx-tcb-info-issuer-chain"),
    tcb_info: tcbInfo.text,
    tcb_info_signature: tcbInfo.signature,
    qe_identity_issuer_chain: chainIn(identity, "sgx-enclave-identity-issuer-chain"),
    qe_identity: qeIdentity.text,
    qe_identity_signature: qeIdentity.signature,
  });
}

/** The chain is percent-encoded in a header, whose name differs between services. */
function chainIn({ headers }: FetchedResponse, ...names: readonly string[]): string {
  const header = names.map((name) => headers.get(name)).find((value) => value !== null);
  try {
    if (typeof header === "string") return decodeURIComponent(header);
  } catch {
    throw unreadableCollateral(`the ${names[0]} header is not percent-encoded`);
  }
  throw unreadableCollateral(`the ${names[0]} header is missing`);
}

/** The signature covers one member, serialised without white space. */
function signedPart(response: FetchedResponse, name: string): { text: string; signature: unknown } {
  const members = asFields(response.json());
  return { text: JSON.stringify(members[name]) ?? "", signature: members.signature };
}

function readBlob(body: Uint8Array): string {
  const bytes = Buffer.from(body);
  const text = bytes.toString("latin1").trim();
  return /^(?:[0-9a-f]{2})+$/i.test(text) ? text : bytes.toString("hex");
}
