import type { Sealer } from "../../lib/seal.ts";
import { isProviderName, type ProviderName } from "./provider.ts";

/** A sign-in under way. */
export type Attempt = {
  provider: ProviderName;
  returnTo: string;
  expiresMs: number;
  /** What its state and its verifier follow from (attempt.ts). */
  secret: string;
};

const owner = { purpose: "sign-in", accountId: "", id: "" };

/** A text for the cookie of the browser that began it, which nobody but this server reads or makes. */
export function sealAttempt(sealer: Sealer, attempt: Attempt): string {
  return Buffer.from(sealer.seal(JSON.stringify(attempt), owner)).toString("base64url");
}

/** Null for what this server has not sealed. */
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
