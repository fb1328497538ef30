import { EarshotError } from "../../lib/errors.ts";

export const maxKeyNameLength = 60;

/** Allows U+200C and U+200D, which some scripts and emoji need. */
const invisible = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

export function isOneVisibleLine(text: string): boolean {
  return !invisible.test(text);
}

/** Returns the name trimmed and in NFC. Errors: `invalid_request`. */
export function checkedKeyName(text: string): string {
  const name = text.trim().normalize("NFC");
  const isReadable = visible.test(name) && isOneVisibleLine(name);
  if (isReadable && [...name].length <= maxKeyNameLength) return name;
  const message = isReadable
    ? `the name has ${[...name].length} characters; the maximum is ${maxKeyNameLength}`
    : "the name of a key must be one line of visible characters";
  const hint = `send 1 to ${maxKeyNameLength} visible characters, such as "laptop"`;
  throw new EarshotError("invalid_request", message, {
    status: 400,
    hint,
    details: [{ code: "invalid_value", message, hint, pointer: "/name" }],
  });
}
