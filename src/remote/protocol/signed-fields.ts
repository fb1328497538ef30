import { serializeDictionary } from "../../lib/structured-fields.ts";
import { decodeBase64, sha256 } from "./encoding.ts";
import { isSignedBy } from "./keys.ts";

type Signer = { sign(message: Uint8Array): Uint8Array };

export const makeContentDigest = (body: string | Uint8Array): string =>
  serializeDictionary({ "sha-256": { value: sha256(body) } });

/** Signatures for one kind of message: RFC 9421, in one serialisation only. */
export function createMessageSignatures<Name extends string>(
  names: readonly Name[],
  tag: string,
  { hasNonce }: { hasNonce: boolean },
) {
  type Values = Readonly<Record<Name, string>>;
  const coveredComponents = `(${names.map((name) => `"${name}"`).join(" ")})`;
  const inputPattern = new RegExp(
    `^earshot=(?<parameters>${coveredComponents.replaceAll(/[()]/g, "\\$&")};created=(?<created>0|[1-9][0-9]{0,11})` +
      `${hasNonce ? ';nonce="(?<nonce>[A-Za-z0-9_-]{16,64})"' : ""}` +
      `;keyid="(?<keyId>[A-Za-z0-9_-]{22})";alg="ed25519";tag="${tag}")$`,
  );

  function signatureBase(values: Values, parameters: string): Buffer {
    const lines = names.map((name) => `"${name}": ${values[name]}`);
    return Buffer.from([...lines, `"@signature-params": ${parameters}`].join("\n"), "utf8");
  }

  return {
    sign: (
      values: Values,
      { keyId, nowMs, nonce }: { keyId: string; nowMs: number; nonce?: string },
      key: Signer,
    ) => {
      const createdParameter = `;created=${Math.floor(nowMs / 1_000)}`;
      const nonceParameter = nonce === undefined ? "" : `;nonce="${nonce}"`;
      const parameters = `${coveredComponents}${createdParameter}${nonceParameter};keyid="${keyId}";alg="ed25519";tag="${tag}"`;
      const value = key.sign(signatureBase(values, parameters));
      return {
        "signature-input": `earshot=${parameters}`,
        signature: serializeDictionary({ earshot: { value } }),
      };
    },

    /** Null unless `input` is a `Signature-Input` of this kind. */
    read: (input: string) => {
      const { parameters, created, nonce = "", keyId } = inputPattern.exec(input)?.groups ?? {};
      if (parameters === undefined || keyId === undefined) return null;
      const isSigned = (signature: string, values: Values, signingKey: string): boolean => {
        const [, encodedSignature = ""] = /^earshot=:([A-Za-z0-9+/]{86}==):$/.exec(signature) ?? [];
        return isSignedBy(
          signingKey,
          signatureBase(values, parameters),
          decodeBase64(encodedSignature),
        );
      };
      return { keyId, createdMs: Number(created) * 1_000, nonce, isSigned };
    },
  };
}
