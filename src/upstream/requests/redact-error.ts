import { inspect } from "node:util";
import { EarshotError } from "../../lib/errors.ts";
import type { Secrets } from "../../platforms/credential.ts";
import { redactedReason, withoutSecrets } from "../../platforms/without-secrets.ts";

const maxCauses = 8;
const inspectOptions = { depth: maxCauses, maxArrayLength: 1_000, maxStringLength: null } as const;

/** The same kind of error without the secrets; message, hint and causes have one line each. */
export function redactError(thrown: unknown, secrets: Secrets): unknown {
  const isClean = thrown instanceof EarshotError ? isCleanLine(thrown, secrets) : true;
  const text = inspect(thrown, inspectOptions);
  return isClean && text === withoutSecrets(text, secrets)
    ? thrown
    : redactCause(thrown, secrets, 0);
}

const isCleanLine = ({ message }: Error, secrets: Secrets): boolean =>
  message === redactedReason(message, secrets);

function redactCause(thrown: unknown, secrets: Secrets, depth: number): Error | undefined {
  if (!(thrown instanceof Error) || depth > maxCauses) return undefined;
  const message = redactedReason(thrown.message, secrets);
  const cause = redactCause(thrown.cause, secrets, depth + 1);
  if (thrown instanceof EarshotError) {
    const { code, status, retryable, hint } = thrown;
    const hintField = hint === undefined ? {} : { hint: redactedReason(hint, secrets) };
    return new EarshotError(code, message, { status, retryable, cause, ...hintField });
  }
  const error = new Error(message, cause === undefined ? {} : { cause });
  const code = "code" in thrown ? redactedReason(String(thrown.code), secrets) : null;
  return code === null ? error : Object.assign(error, { code });
}
