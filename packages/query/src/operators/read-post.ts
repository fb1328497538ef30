import { type Operand, operandError, truncate } from "./operand.ts";

const maxId = 2n ** 63n - 1n;
const numberForm = /^\d{1,19}$/;
const xPostUrl =
  /^(?:https?:\/\/)?(?:www\.|mobile\.)?(?:x|twitter)\.com\/.*\/status(?:es)?\/(\d{1,19})/i;

/** From 0 to 2^63 - 1; strips leading zeros. */
export function readIdOperand(operator: string, text: string): Operand<string> {
  const id = parseId(text);
  if (id !== null) return { value: id };
  return operandError(
    "invalid_id",
    `${operator}: must be the ID of a post, not ${truncate(text)}`,
    [`an ID in plain digits, up to ${maxId}`],
    hintForId(operator, text),
  );
}

function hintForId(operator: string, text: string): string {
  const idInUrl = xPostUrl.exec(text)?.[1];
  if (idInUrl !== undefined) return `write ${operator}:${idInUrl}`;
  if (/^\d+$/.test(text)) return `IDs go up to ${maxId}`;
  return `use a value such as ${operator}:1138872932887924737`;
}

function parseId(text: string): string | null {
  const digits = text.normalize("NFKC");
  if (!numberForm.test(digits)) return null;
  const id = BigInt(digits);
  return id <= maxId ? id.toString() : null;
}

const uriForm = /^[a-z][a-z0-9+.-]*:[^\s\p{Cc}]+$/iu;
/** Uris contain the DID instead of a handle. */
const uriByHandle = /^at:\/\/(?!did:)([^/\s]+)\/app\.bsky\.feed\.post\/([^/\s]+)$/i;

/** Reads a number, without leading zeros, or any URI except a Bluesky URI with a handle. */
export function readPostOperand(operator: string, text: string): Operand<string> {
  const number = text.normalize("NFKC");
  if (numberForm.test(number)) return { value: BigInt(number).toString() };
  const [, handle, key] = uriByHandle.exec(text) ?? [];
  if (handle !== undefined) {
    return notAPost(
      operator,
      text,
      `write ${operator}:https://bsky.app/profile/${handle}/post/${key}`,
    );
  }
  if (uriForm.test(text)) return { value: text };
  const isUrlWithoutScheme = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+\/[^\s\p{Cc}]+$/iu.test(text);
  return notAPost(
    operator,
    text,
    isUrlWithoutScheme
      ? `write ${operator}:https://${truncate(text)}`
      : `use a value such as ${operator}:1138631847783608321 or ${operator}:"at://did:plc:…/app.bsky.feed.post/…"`,
  );
}

function notAPost(operator: string, text: string, hint: string): Operand<string> {
  return operandError(
    "invalid_post",
    `${operator}: must be a post, not ${truncate(text)}`,
    ["an ID in plain digits", "a uri", "the URL of a post on X or Bluesky"],
    hint,
  );
}
