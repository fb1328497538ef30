import { EarshotError, type ErrorDetail } from "../lib/errors.ts";
import type { Platform } from "../posts/post.ts";
import type { SearchPlatform } from "./source.ts";
import type { Target } from "./target.ts";

export type TargetInput = {
  kind: Target["kind"];
  text: string;
  /** In code points. */
  offset: number;
  platform: SearchPlatform;
};

/** Units are code points. */
export type Reason = { message?: string; hint?: string; from?: number; length?: number };

const codes = { user: "invalid_user", post: "invalid_post", space: "invalid_space" } as const;
const subjects = { user: "an account", post: "a post", space: "a space" } as const;

const forms: Record<Target["kind"], readonly string[]> = {
  user: [
    "a handle, with or without @",
    "the URL of a profile",
    "an account's id, such as did:plc:… or x:12",
  ],
  post: [
    "the ID of a record",
    "the uri of a post",
    "the URL of its page",
    "its id with its platform, such as x:20",
  ],
  space: ["the id of a space", "the URL of its page, https://x.com/i/spaces/…"],
};

const defaultHints: Record<Target["kind"], string> = {
  user: "use a handle such as @ann.bsky.social, @ann@mastodon.social or x:@ann, or the URL of the profile",
  post: "use the ID, uri or URL of a post",
  space: "use the URL of the space, https://x.com/i/spaces/…, or the id at its end",
};

export function malformedTargetError(input: TargetInput, reason: Reason = {}): EarshotError {
  const { kind, text, offset } = input;
  const { from = 0, length = countCharacters(text) } = reason;
  const explanation = reason.message === undefined ? "" : `: ${reason.message}`;
  return invalidQuery({
    code: codes[kind],
    message: `${quoted(text)} does not name ${subjects[kind]}${explanation}`,
    hint: reason.hint ?? defaultHints[kind],
    offset: offset + from,
    length,
    expected: forms[kind],
  });
}

/** Each candidate names one account. */
export function ambiguousUserError(
  { text, offset }: TargetInput,
  candidates: readonly string[],
): EarshotError {
  return invalidQuery({
    code: "ambiguous_user",
    message: `${quoted(text)} names several accounts: ${candidates.join(", ")}`,
    hint: `send one of them, such as ${candidates[0] ?? ""}`,
    offset,
    length: countCharacters(text),
    expected: candidates,
  });
}

function invalidQuery(error: ErrorDetail & { offset: number; hint: string }): EarshotError {
  const { message, hint } = error;
  return new EarshotError("invalid_query", `${message} (at offset ${error.offset})`, {
    status: 400,
    hint,
    details: [{ ...error, pointer: "/arguments/query" }],
  });
}

export function platformMismatchError(
  { text, offset, platform }: TargetInput,
  targetPlatform: Platform,
): EarshotError {
  const message = `${quoted(text)} is on ${targetPlatform}, but the request is for ${platform}`;
  const hint = `use ${targetPlatform}, or social, which selects the platform of the query`;
  return new EarshotError("platform_mismatch", message, {
    status: 400,
    hint,
    details: [
      {
        code: "platform_mismatch",
        message,
        hint,
        pointer: "/arguments/query",
        offset,
        length: countCharacters(text),
      },
    ],
  });
}

export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const maxEchoLength = 60;

function quoted(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu, "\ufffd");
  const truncatedText =
    plain.length <= maxEchoLength ? plain : `${plain.slice(0, maxEchoLength).toWellFormed()}…`;
  return `"${truncatedText}"`;
}
