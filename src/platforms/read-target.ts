/** Targets are read once, at submission, into the form to which cursors are bound: platforms would read them differently. */

import { byPlatform, type Platform } from "../posts/post.ts";
import type { SearchPlatform } from "./source.ts";
import type { Target } from "./target.ts";
import { readTargetAddress } from "./target-address.ts";
import { characters, type MalformedTarget, malformed, mismatch } from "./target-errors.ts";
import { readTargetName, readUri } from "./target-names.ts";

export type TargetKind = Target["kind"];

const prefixes: Readonly<Record<string, Platform>> = {
  ...byPlatform((platform) => platform),
  bsky: "bluesky",
  twitter: "x",
};
const prefixForm = /^([a-z]{1,20}):(?!\/\/)/i;

const maxCharacters = 2_048;

/**
 * Accounts and posts by handle, id, URI or address, spaces by id or address. A number is first a record's ID. A `platform:`
 * prefix selects the platform, which is null if undetermined. Errors: `invalid_query`; `platform_mismatch`.
 */
export function readTarget(what: TargetKind, text: string, platform: SearchPlatform): Target {
  const position = offsetOf(what, text, platform);
  const { written } = position;
  checkCharacters(position);
  const { named, rest } = withoutPrefix(written);
  const within = named ?? platform;
  if (named !== null && platform !== "social" && platform !== named)
    throw mismatch(position, named);
  const requested = { ...position, platform: within };
  const target =
    readTargetAddress(what, rest) ??
    readUri(what, rest) ??
    readTargetName(what, rest, within, requested);
  if (target === null) throw malformed(requested);
  if (target.platform === null)
    return within === "social" ? target : { ...target, platform: within };
  if (within !== "social" && within !== target.platform) throw mismatch(requested, target.platform);
  return target;
}

export function offsetOf(
  what: TargetKind,
  text: string,
  platform: SearchPlatform,
): MalformedTarget {
  const trimmed = text.trim();
  const offset = characters(text.slice(0, text.indexOf(trimmed)));
  return { what, written: trimmed, offset, platform };
}

function checkCharacters(position: MalformedTarget): void {
  const { written } = position;
  const length = characters(written);
  if (length > maxCharacters) {
    const message = `it has ${length} characters; the limit is ${maxCharacters}`;
    throw malformed(position, { message, from: maxCharacters, length: length - maxCharacters });
  }
  const strange = /[\s\p{Cc}\p{Cs}\p{Bidi_Control}]/u.exec(written);
  if (strange === null) return;
  const from = characters(written.slice(0, strange.index));
  const isSpace = /\s/u.test(strange[0]);
  const message = isSpace ? "it contains a space" : "it contains an invisible character";
  throw malformed(position, { message, from, length: 1 });
}

/** Unknown prefixes stay, so that the text is rejected as malformed. */
function withoutPrefix(query: string): { named: Platform | null; rest: string } {
  const word = prefixForm.exec(query)?.[1]?.toLowerCase() ?? "";
  if (!Object.hasOwn(prefixes, word)) return { named: null, rest: query };
  return { named: prefixes[word] ?? null, rest: query.slice(word.length + 1) };
}
