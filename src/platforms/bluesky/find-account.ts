import { EarshotError } from "../../lib/errors.ts";
import { asFields, list } from "../fields.ts";
import { isDid, isHandle } from "./at-uri.ts";
import { query, refusalError, type XrpcFetch, xrpcUrl } from "./xrpc.ts";

export type ResolvedAccount = {
  did: string;
  handle: string | null;
  pds: URL;
};

export type AccountDirectory = {
  fetch: XrpcFetch;
  resolveTxt: (name: string) => Promise<string[][]>;
  appviewUrl: string;
  plcUrl: string;
};

/**
 * A handle is accepted only if the DID document names it too, so no resolver (AppView, DNS, the
 * handle's host) has to be trusted. Errors: `account_unknown`; `account_deleted` for a tombstone.
 */
export async function findAccount(
  requestedName: string,
  directory: AccountDirectory,
): Promise<ResolvedAccount> {
  const name = requestedName.replace(/^@/, "");
  if (isDid(name)) {
    const { pds, handle } = await readDocument(name, directory);
    const isConfirmed = handle !== null && (await resolveHandle(handle, directory)) === name;
    return { did: name, pds, handle: isConfirmed ? handle : null };
  }
  if (!isHandle(name)) throw unknownAccount(requestedName, "is neither a handle nor a DID");
  const did = await resolveHandle(name, directory);
  if (did === null) throw unknownAccount(requestedName, "is not the handle of an account");
  const { pds, handle } = await readDocument(did, directory);
  if (handle !== name.toLowerCase())
    throw unknownAccount(requestedName, `is not the handle of ${did}`);
  return { did, pds, handle };
}

async function readDocument(
  did: string,
  { fetch, plcUrl }: AccountDirectory,
): Promise<{ pds: URL; handle: string | null }> {
  const url = didDocumentUrl(did, plcUrl);
  if (url === null) throw unknownAccount(did, "is a DID of an unsupported kind");
  const response = await query(fetch, url);
  if ("refusal" in response) {
    const { status } = response.refusal;
    if (status === 410) throw new EarshotError("account_deleted", `${did} was deleted`);
    if (status === 404) throw unknownAccount(did, "is not in its directory");
    throw refusalError(url.host, response.refusal);
  }
  const document = readDidDocument(response.value, did);
  if (document === null) throw unknownAccount(did, "has no valid DID document");
  if (document.pds === null) throw unknownAccount(did, "has no personal data server");
  return { pds: document.pds, handle: document.handle };
}

async function resolveHandle(handle: string, directory: AccountDirectory): Promise<string | null> {
  for (const resolve of [resolveByAppview, resolveByDns, resolveByHost]) {
    const did = await resolve(handle.toLowerCase(), directory);
    if (did !== null && isDid(did)) return did;
  }
  return null;
}

async function resolveByAppview(
  handle: string,
  { fetch, appviewUrl }: AccountDirectory,
): Promise<string | null> {
  const url = xrpcUrl(appviewUrl, "com.atproto.identity.resolveHandle", { handle });
  return await orNull(async () => {
    const response = await query(fetch, url);
    const { did } = asFields("value" in response ? response.value : null);
    return typeof did === "string" ? did : null;
  });
}

async function resolveByDns(
  handle: string,
  { resolveTxt }: AccountDirectory,
): Promise<string | null> {
  const records = await resolveTxt(`_atproto.${handle}`).catch(() => []);
  const texts = records.map((parts) => parts.join(""));
  const dids = texts.filter((text) => text.startsWith("did=")).map((text) => text.slice(4));
  return dids.length === 1 ? (dids[0] ?? null) : null;
}

const maxDidLength = 2_048;

async function resolveByHost(handle: string, { fetch }: AccountDirectory): Promise<string | null> {
  const url = new URL(`https://${handle}/.well-known/atproto-did`);
  return await orNull(async () => {
    const response = await fetch.get(url, { maxBytes: maxDidLength, maxTries: 1 });
    return response.status === 200 ? response.text().trim() : null;
  });
}

async function orNull(request: () => Promise<string | null>): Promise<string | null> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof EarshotError && error.code !== "interrupted") return null;
    throw error;
  }
}

function unknownAccount(name: string, problem: string): EarshotError {
  return new EarshotError("account_unknown", `${name} ${problem}`, {
    status: 404,
    hint: "check the spelling, or use the DID, which stays valid when the handle changes",
  });
}

export type DidDocument = {
  did: string;
  pds: URL | null;
  handle: string | null;
};

const maxServices = 20;
const maxNames = 20;

/** Supports did:plc, and did:web without path or port, as the AT Protocol does. */
export function didDocumentUrl(did: string, plcUrl: string): URL | null {
  if (!isDid(did)) return null;
  if (did.startsWith("did:plc:")) return URL.parse(`${plcUrl.replace(/\/$/, "")}/${did}`);
  const host = did.startsWith("did:web:") ? did.slice("did:web:".length) : "";
  return isHandle(host) ? URL.parse(`https://${host}/.well-known/did.json`) : null;
}

export function readDidDocument(value: unknown, did: string): DidDocument | null {
  const { id, service, alsoKnownAs } = asFields(value);
  if (id !== did) return null;
  const names = list(alsoKnownAs, maxNames).flatMap((name) =>
    typeof name === "string" && name.startsWith("at://") ? [name.slice("at://".length)] : [],
  );
  const handle = names[0] ?? "";
  return {
    did,
    pds:
      list(service, maxServices)
        .map(readPds)
        .find((url) => url !== null) ?? null,
    handle: isHandle(handle) ? handle.toLowerCase() : null,
  };

  function readPds(item: unknown): URL | null {
    const { id: name, type, serviceEndpoint } = asFields(item);
    if (type !== "AtprotoPersonalDataServer" || typeof serviceEndpoint !== "string") return null;
    if (name !== "#atproto_pds" && name !== `${did}#atproto_pds`) return null;
    const url = URL.parse(serviceEndpoint);
    return url?.protocol === "https:" || url?.protocol === "http:" ? url : null;
  }
}
