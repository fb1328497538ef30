import { type Operand, operandError, shown } from "./operand.ts";

const largestId = 2n ** 63n - 1n;
const numberForm = /^\d{1,19}$/;
const xPostUrl =
  /^(?:https?:\/\/)?(?:www\.|mobile\.)?(?:x|twitter)\.com\/.*\/status(?:es)?\/(\d{1,19})/i;

/** Accepts an ID from 0 to 2^63 - 1, and strips leading zeros. */
export function readIdOperand(operator: string, written: string): Operand<string> {
  const id = idOf(written);
  if (id !== null) return { value: id };
  return operandError(
    "invalid_id",
    `${operator}: must be the ID of a post, not ${shown(written)}`,
    [`an ID in plain digits, up to ${largestId}`],
    hintForId(operator, written),
  );
}

function hintForId(operator: string, written: string): string {
  const idInUrl = xPostUrl.exec(written)?.[1];
  if (idInUrl !== undefined) return `write ${operator}:${idInUrl}`;
  if (/^\d+$/.test(written)) return `IDs go up to ${largestId}`;
  return `use a value as in ${operator}:1138872932887924737`;
}

function idOf(written: string): string | null {
  const plain = written.normalize("NFKC");
  if (!numberForm.test(plain)) return null;
  const id = BigInt(plain);
  return id <= largestId ? id.toString() : null;
}

const uri = /^[a-z][a-z0-9+.-]*:[^\s\p{Cc}]+$/iu;
/** Uris of posts contain the account's DID. */
const uriByHandle = /^at:\/\/(?!did:)([^/\s]+)\/app\.bsky\.feed\.post\/([^/\s]+)$/i;

/** Accepts a number, whose leading zeros it strips, or any URI except a Bluesky one with a handle. */
export function readPostOperand(operator: string, written: string): Operand<string> {
  const number = written.normalize("NFKC");
  if (numberForm.test(number)) return { value: BigInt(number).toString() };
  const [, handle, key] = uriByHandle.exec(written) ?? [];
  if (handle !== undefined) {
    return notAPost(
      operator,
      written,
      `write ${operator}:https://bsky.app/profile/${handle}/post/${key}`,
    );
  }
  if (uri.test(written)) return { value: written };
  const isUrlWithoutScheme = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+\/[^\s\p{Cc}]+$/iu.test(written);
  return notAPost(
    operator,
    written,
    isUrlWithoutScheme
      ? `write ${operator}:https://${shown(written)}`
      : `use a value as in ${operator}:1138631847783608321 or ${operator}:"at://did:plc:…/app.bsky.feed.post/…"`,
  );
}

function notAPost(operator: string, written: string, hint: string): Operand<string> {
  return operandError(
    "invalid_post",
    `${operator}: must be a post, not ${shown(written)}`,
    ["an ID in plain digits", "a uri", "the URL of a post on X or Bluesky"],
    hint,
  );
}
