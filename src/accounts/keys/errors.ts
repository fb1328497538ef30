import { EarshotError } from "../../lib/errors.ts";
import { isoTime } from "../../lib/iso-time.ts";
import type { Actor } from "../audit.ts";

export function tooManyKeys(maxKeys: number, actor: Actor): EarshotError {
  const count = maxKeys === 1 ? "1 key" : `${maxKeys} keys`;
  return new EarshotError("too_many_keys", `the account already has ${count}`, {
    status: 409,
    hint:
      actor === "command_line"
        ? "revoke one with earshot keys revoke"
        : "revoke an unused key, or rotate one",
  });
}

export function tooManyNewKeys(newPerDay: number, retryAtMs: number): EarshotError {
  return new EarshotError(
    "too_many_keys",
    `the account created ${newPerDay} keys within 24 hours`,
    { status: 409, hint: `retry after ${isoTime(retryAtMs)}` },
  );
}

export function keyNotFound(id: string, actor: Actor): EarshotError {
  return actor === "command_line"
    ? new EarshotError("key_not_found", `key ${JSON.stringify(id)} not found`, {
        status: 404,
        hint: "find its id, the part between the underscores, with earshot keys list",
      })
    : new EarshotError("key_not_found", "key not found", { status: 404 });
}

export function keyEnded(message: string, hint: string): EarshotError {
  return new EarshotError("key_ended", message, { status: 409, hint });
}

export function firstKeyShown(): EarshotError {
  return new EarshotError("first_key_shown", "the first key has already been shown", {
    status: 409,
    hint: "use the key that was shown, or create another",
  });
}

export function invalidField(name: string, message: string, hint: string): EarshotError {
  return new EarshotError("invalid_request", `/${name}: ${message}`, {
    status: 400,
    hint,
    details: [{ code: "out_of_range", message, hint, pointer: `/${name}` }],
  });
}
