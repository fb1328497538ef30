import type * as z from "zod";
import type { KeyChoice } from "../../accounts/keys/own-operations.ts";
import { methodNames } from "../../platforms/methods.ts";
import type { keyChange } from "../schemas/keys.ts";

export function readKeyChoice(body: z.output<typeof keyChange>): Partial<KeyChoice> {
  const { name, methods, expires_at: expiresAt } = body;
  const { requests_per_second: requests, submissions_per_minute: submissions } = body;
  return {
    ...(name === undefined ? {} : { name }),
    ...(methods === undefined ? {} : { methods: knownMethods(methods) }),
    ...(expiresAt === undefined
      ? {}
      : { expiresMs: expiresAt === null ? null : Date.parse(expiresAt) }),
    ...(requests === undefined ? {} : { requestsPerSecond: requests }),
    ...(submissions === undefined ? {} : { submissionsPerMinute: submissions }),
  };
}

function knownMethods(names: readonly string[] | null): KeyChoice["methods"] {
  return names === null ? null : methodNames.filter((method) => names.includes(method));
}
