import { serializeDictionary } from "../../lib/structured-fields.ts";
import { bytesOfBase64, sha256 } from "./encoding.ts";
import { isSignedBy } from "./keys.ts";

/**
 * HTTP message signatures (RFC 9421) as this protocol uses them: with the label `earshot` over components that are fixed for
 * each use. They are written in one way and read in that way alone, so a reader of another kind finds the same in them.
 */
export type Component = readonly [name: string, value: string];

/** The Content-Digest (RFC 9530) of a body. */
export const contentDigestOf = (body: string | Uint8Array): string =>
  serializeDictionary({ "sha-256": { value: sha256(body) } });

/** The members of a Signature-Input: which components are covered, and with which parameters. */
export const signatureInputOf = (parameters: string): string => `earshot=${parameters}`;

/** The list of components, as it begins the parameters of a signature. */
export const coveredOf = (names: readonly string[]): string =>
  `(${names.map((name) => `"${name}"`).join(" ")})`;

/** The Signature of components. */
export function signatureOf(
  components: readonly Component[],
  parameters: string,
  key: { sign(message: Uint8Array): Uint8Array },
): string {
  const signature = key.sign(signatureBase(components, parameters));
  return serializeDictionary({ earshot: { value: signature } });
}

/** Whether a Signature was made by the holder of a key over these components. False for anything malformed. */
export function isSignature(
  signature: string,
  components: readonly Component[],
  parameters: string,
  signingKey: string,
): boolean {
  const [, written] = /^earshot=:([A-Za-z0-9+/]{86}==):$/.exec(signature) ?? [];
  const bytes = written === undefined ? null : bytesOfBase64(written);
  if (bytes === null) return false;
  return isSignedBy(signingKey, signatureBase(components, parameters), bytes);
}

/** What is signed (RFC 9421 section 2.5). */
function signatureBase(components: readonly Component[], parameters: string): Buffer {
  const lines = components.map(([name, value]) => `"${name}": ${value}`);
  return Buffer.from([...lines, `"@signature-params": ${parameters}`].join("\n"), "utf8");
}
