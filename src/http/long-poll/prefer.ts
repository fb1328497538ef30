import type { FastifyReply, FastifyRequest } from "fastify";
import type { Job } from "../../jobs/job.ts";
import { requireCaller } from "../middleware/caller.ts";
import { invalidRequest } from "../schemas/validation.ts";
import type { PendingRequests } from "./pending-requests.ts";

/** Longer waits in `Prefer` (RFC 7240) are reduced to this. */
const maxWaitSeconds = 30;

/** `?wait=` takes precedence. Null if there is no such job. */
export async function waitAsRequested(
  pendingRequests: PendingRequests,
  request: FastifyRequest,
  reply: FastifyReply,
  { uuid, waitSeconds }: { uuid: string; waitSeconds: number | undefined },
): Promise<Job | null> {
  const caller = requireCaller(request);
  const preferredSeconds = preferredWaitSeconds(request.headers.prefer?.toString());
  return waitSeconds === undefined
    ? await pendingRequests.waitAsPreferred(caller, uuid, preferredSeconds, reply)
    : await pendingRequests.waitForJob(caller, uuid, waitSeconds, reply);
}

/** 0 if no wait is requested. Errors: `invalid_request`. */
export function preferredWaitSeconds(field: string | undefined): number {
  if (field === undefined) return 0;
  const wait = preferences(field).find(({ name }) => name === "wait");
  if (wait === undefined) return 0;
  if (!/^\d+$/.test(wait.value)) throw malformedPrefer("wait must be a whole number of seconds");
  return Math.min(Number(wait.value), maxWaitSeconds);
}

type Preference = { name: string; value: string };

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const quotedString = '"(?:[^"\\\\]|\\\\.)*"';
const optionalValue = `(?:[ \\t]*=[ \\t]*(${token}|${quotedString})?)?`;

const nameAndValue = new RegExp(`(${token})${optionalValue}[ \\t]*`, "y");
const parameter = new RegExp(`;[ \\t]*(?:${token}${optionalValue}[ \\t]*)?`, "y");
const separators = /[ \t]*(?:,[ \t]*)*/y;

function preferences(field: string): readonly Preference[] {
  const parsedPreferences: Preference[] = [];
  let offset = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = offset;
    const match = pattern.exec(field);
    if (match !== null) offset = pattern.lastIndex;
    return match;
  };
  take(separators);
  while (offset < field.length) {
    const preference = take(nameAndValue);
    if (preference === null)
      throw malformedPrefer("the Prefer header is not a list of preferences");
    const [, name = "", value = ""] = preference;
    parsedPreferences.push({ name: name.toLowerCase(), value: unquote(value) });
    while (take(parameter) !== null);
    if (offset < field.length && field[offset] !== ",") {
      throw malformedPrefer("the Prefer header is not a list of preferences");
    }
    take(separators);
  }
  return parsedPreferences;
}

function unquote(word: string): string {
  return word.startsWith('"') ? word.slice(1, -1).replaceAll(/\\(.)/g, "$1") : word;
}

function malformedPrefer(message: string) {
  const hint = "send Prefer: wait=10, or omit the header";
  return invalidRequest([{ code: "invalid_value", message, hint, pointer: "/prefer" }]);
}
