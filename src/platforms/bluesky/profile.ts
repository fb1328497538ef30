import { asFields, string } from "../fields.ts";
import { isDid } from "./at-uri.ts";
import { profileCollection } from "./collections.ts";
import { readSelfLabels } from "./self-labels.ts";

export type ProfileFields = { name: string | null; labels: readonly string[] };

export const profileKey = "self";

/** The lexicon counts bytes; this limit counts UTF-16 code units. */
const maxNameLength = 640;

export function readProfileRecord(record: unknown): ProfileFields {
  const { displayName, labels } = asFields(record);
  return { name: readDisplayName(displayName), labels: readSelfLabels(labels) };
}

export function readDisplayName(value: unknown): string | null {
  return string(value, maxNameLength)?.trim() || null;
}

const profilePath = `/${profileCollection}/${profileKey}`;

/** A DID or a profile URI. */
export function parseProfileAddress(address: string): string | null {
  if (isDid(address)) return address;
  if (!address.startsWith("at://") || !address.endsWith(profilePath)) return null;
  const did = address.slice("at://".length, -profilePath.length);
  return isDid(did) ? did : null;
}
