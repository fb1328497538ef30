/**
 * Targets are parsed once, at submission, because platforms would parse them differently, and
 * cursors are bound to the parsed form.
 */

import { byPlatform, type Platform } from "../posts/post.ts";
import type { SearchPlatform } from "./source.ts";
import type { Target } from "./target.ts";
import { readTargetAddress } from "./target-address.ts";
import {
  countCharacters,
  malformedTargetError,
  platformMismatchError,
  type TargetInput,
} from "./target-errors.ts";
import { readTargetName, readUri } from "./target-names.ts";

export type TargetKind = Target["kind"];

const prefixes: Readonly<Record<string, Platform>> = {
  ...byPlatform((platform) => platform),
  bsky: "bluesky",
  twitter: "x",
};
const prefixPattern = /^([a-z]{1,20}):(?!\/\/)/i;

const maxCharacters = 2_048;

/**
 * Accounts and posts by handle, id, URI or URL, Spaces by id or URL. For posts, a bare number is
 * first tried as a record ID. A `platform:` prefix selects the platform, which is null if
 * undetermined. Errors: `invalid_query`; `platform_mismatch`.
 */
export function readTarget(
  kind: TargetKind,
  query: string,
  requestedPlatform: SearchPlatform,
): Target {
  const input = targetInput(kind, query, requestedPlatform);
  checkCharacters(input);
  const { prefix, rest } = splitPrefix(input.text);
  const platform = prefix ?? requestedPlatform;
  if (prefix !== null && requestedPlatform !== "social" && requestedPlatform !== prefix)
    throw platformMismatchError(input, prefix);
  const prefixedInput = { ...input, platform };
  const target =
    readTargetAddress(kind, rest) ??
    readUri(kind, rest) ??
    readTargetName(kind, rest, platform, prefixedInput);
  if (target === null) throw malformedTargetError(prefixedInput);
  if (target.platform === null) return platform === "social" ? target : { ...target, platform };
  if (platform !== "social" && platform !== target.platform)
    throw platformMismatchError(prefixedInput, target.platform);
  return target;
}

export function targetInput(
  kind: TargetKind,
  query: string,
  platform: SearchPlatform,
): TargetInput {
  const text = query.trim();
  const offset = countCharacters(query.slice(0, query.indexOf(text)));
  return { kind, text, offset, platform };
}

function checkCharacters(input: TargetInput): void {
  const { text } = input;
  const length = countCharacters(text);
  if (length > maxCharacters) {
    const message = `it has ${length} characters; the limit is ${maxCharacters}`;
    throw malformedTargetError(input, {
      message,
      from: maxCharacters,
      length: length - maxCharacters,
    });
  }
  const invalid = /[\s\p{Cc}\p{Cs}\p{Bidi_Control}]/u.exec(text);
  if (invalid === null) return;
  const from = countCharacters(text.slice(0, invalid.index));
  const isSpace = /\s/u.test(invalid[0]);
  const message = isSpace ? "it contains a space" : "it contains an invisible character";
  throw malformedTargetError(input, { message, from, length: 1 });
}

/**
 * Leaves other prefixes in place: `did:` and `import:` begin a URI, others make the text malformed.
 */
function splitPrefix(text: string): { prefix: Platform | null; rest: string } {
  const word = prefixPattern.exec(text)?.[1]?.toLowerCase() ?? "";
  if (!Object.hasOwn(prefixes, word)) return { prefix: null, rest: text };
  return { prefix: prefixes[word] ?? null, rest: text.slice(word.length + 1) };
}
