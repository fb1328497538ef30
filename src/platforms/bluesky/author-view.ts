import { fieldsOf } from "../fields.ts";
import { isDid, isHandle } from "./at-uri.ts";
import { readName } from "./profile.ts";
import { readViewLabels } from "./view-labels.ts";

/** What every view of an account tells. */
export type AuthorView = {
  did: string;
  /** Null when the account has none that leads back to it. */
  handle: string | null;
  name: string | null;
  /** Null where the AppView does not tell. */
  verified: boolean | null;
  labels: readonly string[];
};

/** Reads the part that all views of accounts share; null when it names no account. Nothing throws. */
export function readAuthorView(value: unknown, nowMs: number): AuthorView | null {
  const { did, handle, displayName, verification, labels } = fieldsOf(value);
  if (typeof did !== "string" || !isDid(did)) return null;
  const isUsable = typeof handle === "string" && isHandle(handle) && handle !== "handle.invalid";
  return {
    did,
    handle: isUsable ? handle : null,
    name: readName(displayName),
    verified: readVerification(verification),
    labels: readViewLabels(labels, nowMs),
  };
}

/** An account is vouched for by others, or vouches for others with the network's trust. */
function readVerification(value: unknown): boolean | null {
  const { verifiedStatus, trustedVerifierStatus } = fieldsOf(value);
  if (verifiedStatus === undefined && trustedVerifierStatus === undefined) return null;
  return verifiedStatus === "valid" || trustedVerifierStatus === "valid";
}

/** A whole number from 0 on; null for anything else. */
export function readCount(value: unknown): number | null {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null;
}
