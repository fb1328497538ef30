import { asFields, list } from "../fields.ts";
import { isDid, isHandle } from "./at-uri.ts";

export type DidDocument = {
  did: string;
  pds: URL | null;
  handle: string | null;
};

const maxServices = 20;
const maxNames = 20;

/** Supports did:plc, and did:web without path or port (AT Protocol). */
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
