import type { Sealer } from "../../lib/seal.ts";
import { isProviderName, type ProviderName } from "./provider.ts";

export type Attempt = {
  provider: ProviderName;
  returnTo: string;
  expiresMs: number;
  /** Origin of its state and code verifier (attempt.ts). */
  secret: string;
};

const owner = { purpose: "sign-in", accountId: "", id: "" };

export function sealAttempt(sealer: Sealer, attempt: Attempt): string {
  return Buffer.from(sealer.seal(JSON.stringify(attempt), owner)).toString("base64url");
}

/** Null unless this server encrypted it. */
export function openAttempt(sealer: Sealer, text: string): Attempt | null {
  try {
    const { provider, returnTo, expiresMs, secret } = JSON.parse(
      sealer.open(Buffer.from(text, "base64url"), owner),
    );
    return isProviderName(provider) ? { provider, returnTo, expiresMs, secret } : null;
  } catch {
    return null;
  }
}
