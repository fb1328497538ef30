import * as oauth from "oauth4webapi";
import type { CredentialTools } from "../credential.ts";

const scope = "atproto transition:generic";
export const redirectUri = "http://127.0.0.1/";

export const oauthClient: oauth.Client = {
  client_id: `http://localhost?redirect_uri=${encodeURIComponent(redirectUri)}&scope=${encodeURIComponent(scope)}`,
};
export const oauthScope = scope;

const curve = { name: "ECDSA", namedCurve: "P-256" };
const maxHandles = 1_000;

/** A key is generated once, stored as a JWK, and cached in parsed form with each host's nonces. */
export type ProofKeys = {
  make(): Promise<string>;
  dpopHandle(key: string, tools: CredentialTools): Promise<oauth.DPoPHandle>;
};

export function createProofKeys(): ProofKeys {
  const handles = new Map<string, Promise<oauth.DPoPHandle>>();
  return {
    make: async () => {
      const { privateKey } = await oauth.generateKeyPair("ES256", { extractable: true });
      return JSON.stringify(await crypto.subtle.exportKey("jwk", privateKey));
    },
    dpopHandle: async (key, tools) => {
      const cached = handles.get(key);
      if (cached !== undefined) return await cached;
      const [oldest] = handles.keys();
      if (handles.size === maxHandles && oldest !== undefined) handles.delete(oldest);
      const handle = importKey(key, tools);
      handles.set(key, handle);
      handle.catch(() => handles.get(key) === handle && handles.delete(key));
      return await handle;
    },
  };
}

async function importKey(key: string, { now }: CredentialTools): Promise<oauth.DPoPHandle> {
  const { kty, crv, x, y, d } = JSON.parse(key);
  const [privateKey, publicKey] = await Promise.all([
    crypto.subtle.importKey("jwk", { kty, crv, x, y, d }, curve, false, ["sign"]),
    crypto.subtle.importKey("jwk", { kty, crv, x, y }, curve, true, ["verify"]),
  ]);
  return oauth.DPoP(
    oauthClient,
    { privateKey, publicKey },
    {
      [oauth.modifyAssertion]: (_header, payload) => {
        payload.iat = Math.floor(now() / 1_000);
      },
    },
  );
}
