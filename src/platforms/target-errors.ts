import { EarshotError, type ErrorDetail } from "../lib/errors.ts";
import type { Platform } from "../posts/post.ts";
import type { SearchPlatform } from "./source.ts";
import type { Target } from "./target.ts";

export type MalformedTarget = {
  what: Target["kind"];
  written: string;
  /** Code points. */
  offset: number;
  platform: SearchPlatform;
};

/** Units are code points. */
export type Reason = { message?: string; hint?: string; from?: number; length?: number };

const codes = { user: "invalid_user", post: "invalid_post", space: "invalid_space" } as const;
const articles = { user: "an account", post: "a post", space: "a space" } as const;

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

const usualHints: Record<Target["kind"], string> = {
  user: "use a handle such as @ann.bsky.social, @ann@mastodon.social or x:@ann, or the URL of the profile",
  post: "use the ID, uri or URL of a post",
  space: "use the URL of the space, https://x.com/i/spaces/…, or the id at its end",
};

export function malformed(position: MalformedTarget, reason: Reason = {}): EarshotError {
  const { what, written, offset } = position;
  const { from = 0, length = characters(written) } = reason;
  const why = reason.message === undefined ? "" : `: ${reason.message}`;
  return invalidQuery({
    code: codes[what],
    message: `${readable(written)} does not name ${articles[what]}${why}`,
    hint: reason.hint ?? usualHints[what],
    offset: offset + from,
    length,
    expected: forms[what],
  });
}

/** `selecting`: forms that name one account each. */
export function ambiguous(
  { written, offset }: MalformedTarget,
  selecting: readonly string[],
): EarshotError {
  return invalidQuery({
    code: "ambiguous_user",
    message: `${readable(written)} names several accounts: ${selecting.join(", ")}`,
    hint: `send one of them, such as ${selecting[0] ?? ""}`,
    offset,
    length: characters(written),
    expected: selecting,
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

/** `named`: the target's platform. */
export function mismatch(
  { written, offset, platform }: MalformedTarget,
  named: Platform,
): EarshotError {
  const message = `${readable(written)} is on ${named}, but the request is for ${platform}`;
  const hint = `use ${named}, or social, which selects the platform of the query`;
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
        length: characters(written),
      },
    ],
  });
}

export function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const longestEcho = 60;

function readable(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu, "\ufffd");
  const cut =
    plain.length <= longestEcho ? plain : `${plain.slice(0, longestEcho).toWellFormed()}…`;
  return `"${cut}"`;
}
