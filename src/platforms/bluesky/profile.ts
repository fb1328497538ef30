import { fieldsOf, string } from "../fields.ts";
import { isDid } from "./at-uri.ts";
import { profileCollection } from "./collections.ts";
import { readSelfLabels } from "./self-labels.ts";

/** What an account says of itself: the name it shows, null for none, and the labels it gave itself. */
export type Profile = { name: string | null; labels: readonly string[] };

/** An account has one profile: the record of this key. */
export const profileKey = "self";

/** The network's own limit, in bytes; here it counts UTF-16 code units. */
const nameLength = 640;

/** The profile that a record holds. What is not as the network writes it is left out; nothing throws. */
export function profileOf(record: unknown): Profile {
  const { displayName, labels } = fieldsOf(record);
  return { name: readName(displayName), labels: readSelfLabels(labels) };
}

/** The name that an account shows, without the blanks around it; null for none. */
export function readName(value: unknown): string | null {
  return string(value, nameLength)?.trim() || null;
}

const profilePath = `/${profileCollection}/${profileKey}`;

/** The account that an address stands for: its own id, or its profile's uri; null for anything else. */
export function accountOf(address: string): string | null {
  if (isDid(address)) return address;
  if (!address.startsWith("at://") || !address.endsWith(profilePath)) return null;
  const did = address.slice("at://".length, -profilePath.length);
  return isDid(did) ? did : null;
}
