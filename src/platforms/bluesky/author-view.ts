import { asFields } from "../fields.ts";
import { isDid, isHandle } from "./at-uri.ts";
import { readDisplayName } from "./profile.ts";
import { readViewLabels } from "./view-labels.ts";

export type AuthorView = {
  did: string;
  /** Null unless the handle resolves back to the account. */
  handle: string | null;
  name: string | null;
  verified: boolean | null;
  labels: readonly string[];
};

export function readAuthorView(value: unknown, nowMs: number): AuthorView | null {
  const { did, handle, displayName, verification, labels } = asFields(value);
  if (typeof did !== "string" || !isDid(did)) return null;
  const isUsable = typeof handle === "string" && isHandle(handle) && handle !== "handle.invalid";
  return {
    did,
    handle: isUsable ? handle : null,
    name: readDisplayName(displayName),
    verified: readVerification(verification),
    labels: readViewLabels(labels, nowMs),
  };
}

function readVerification(value: unknown): boolean | null {
  const { verifiedStatus, trustedVerifierStatus } = asFields(value);
  if (verifiedStatus === undefined && trustedVerifierStatus === undefined) return null;
  return verifiedStatus === "valid" || trustedVerifierStatus === "valid";
}

export function readViewCount(value: unknown): number | null {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null;
}
