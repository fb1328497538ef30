import { isoTime } from "../../lib/iso-time.ts";
import type { Credential, CredentialField, CredentialKind } from "../../platforms/credential.ts";
import type {
  CredentialFieldListing,
  CredentialKindListing,
  CredentialListing,
} from "./contract/credentials.ts";

export function credentialListing(credential: Credential, nowMs: number): CredentialListing {
  const { id, platform, kind, host, hint, createdMs, usedMs } = credential;
  return {
    id,
    platform,
    kind,
    host,
    subject: credential.subjectName ?? credential.subject,
    hint,
    created_at: isoTime(createdMs),
    used_at: usedMs === null ? null : isoTime(usedMs),
    ...credentialState(credential, nowMs),
  };
}

function credentialState(
  { quarantine, coolings }: Credential,
  nowMs: number,
): Pick<CredentialListing, "state" | "reason" | "until"> {
  if (quarantine !== null) return { state: "quarantined", reason: quarantine.reason, until: null };
  const [lastCooling] = coolings
    .filter(({ untilMs }) => untilMs > nowMs)
    .toSorted((a, b) => b.untilMs - a.untilMs);
  return lastCooling === undefined
    ? { state: "ready", reason: null, until: null }
    : { state: "cooling", reason: lastCooling.reason, until: isoTime(lastCooling.untilMs) };
}

export function credentialKindListing(kind: CredentialKind): CredentialKindListing {
  const { platform, name, title, purpose, fields, authorization } = kind;
  return {
    platform,
    kind: name,
    title,
    purpose,
    fields: fields.map(fieldListing),
    authorization:
      authorization === undefined ? null : { fields: authorization.fields.map(fieldListing) },
  };
}

const fieldListing = (field: CredentialField): CredentialFieldListing => ({
  name: field.name,
  label: field.label,
  is_secret: field.isSecret,
  is_optional: field.isOptional,
  hint: field.hint ?? null,
});
