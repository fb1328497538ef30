import { serializeDictionary } from "../../lib/structured-fields.ts";
import { bytesOfBase64, sha256 } from "./encoding.ts";
import { isSignedBy } from "./keys.ts";

/** RFC 9421, in one serialisation only. */
export type Component = readonly [name: string, value: string];

export const contentDigestOf = (body: string | Uint8Array): string =>
  serializeDictionary({ "sha-256": { value: sha256(body) } });

export const signatureInputOf = (parameters: string): string => `earshot=${parameters}`;

export const coveredOf = (names: readonly string[]): string =>
  `(${names.map((name) => `"${name}"`).join(" ")})`;

export function signatureOf(
  components: readonly Component[],
  parameters: string,
  key: { sign(message: Uint8Array): Uint8Array },
): string {
  const signature = key.sign(signatureBase(components, parameters));
  return serializeDictionary({ earshot: { value: signature } });
}

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

function signatureBase(components: readonly Component[], parameters: string): Buffer {
  const lines = components.map(([name, value]) => `"${name}": ${value}`);
  return Buffer.from([...lines, `"@signature-params": ${parameters}`].join("\n"), "utf8");
}
