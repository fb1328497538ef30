import { EarshotError } from "../../lib/errors.ts";
import { isoTime } from "../../lib/iso-time.ts";
import type { Actor } from "../audit.ts";

export function tooManyKeys(maxKeys: number, by: Actor): EarshotError {
  const has = maxKeys === 1 ? "a key" : `${maxKeys} keys`;
  return new EarshotError("too_many_keys", `the account has ${has} already`, {
    status: 409,
    hint:
      by === "command_line"
        ? "revoke one with earshot keys revoke ID"
        : "revoke one that is not needed any more, or rotate it",
  });
}

export function tooManyNewKeys(newPerDay: number, againMs: number): EarshotError {
  return new EarshotError(
    "too_many_keys",
    `the account has made ${newPerDay} keys within 24 hours already`,
    { status: 409, hint: `come again after ${isoTime(againMs)}` },
  );
}

export function keyNotFound(id: string, by: Actor): EarshotError {
  return by === "command_line"
    ? new EarshotError("key_not_found", `there is no key ${JSON.stringify(id)}`, {
        status: 404,
        hint: "earshot keys list shows all keys; the id is the part between the underscores",
      })
    : new EarshotError("key_not_found", "there is no such key", { status: 404 });
}

export function keyEnded(message: string, hint: string): EarshotError {
  return new EarshotError("key_ended", message, { status: 409, hint });
}

export function firstKeyShown(): EarshotError {
  return new EarshotError("first_key_shown", "the first key of the account was shown already", {
    status: 409,
    hint: "use the key that was shown, or make another one",
  });
}

export function invalidField(name: string, message: string, hint: string): EarshotError {
  return new EarshotError("invalid_request", `/${name}: ${message}`, {
    status: 400,
    hint,
    details: [{ code: "out_of_range", message, hint, pointer: `/${name}` }],
  });
}
