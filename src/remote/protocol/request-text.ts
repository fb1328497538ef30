import type { AnswerRequest } from "../../platforms/source.ts";
import { checkTarget } from "./check-target.ts";
import { jobRefused } from "./errors.ts";
import { packed, readAs, requestShape, unpacked, writtenAs } from "./wire.ts";

const mostCharacters = 262_144;

/** What is asked, as text: sealed for the node, and what its signature answers. Whose job it is stays out of it. */
export function requestText(request: AnswerRequest): string {
  const { target = null, place = null } = request;
  return writtenAs(requestShape, { ...request, after: packed(request.after), target, place });
}

/**
 * What a text asks. Errors: `job_refused` with `request_malformed` for anything but what `requestText` writes, and
 * `target_mismatch` for what asks about another than its query names.
 */
export function readRequest(text: string): AnswerRequest {
  const read = readAs(requestShape, text, mostCharacters);
  if (read === null) throw jobRefused("request_malformed", "what is asked cannot be read");
  const request = { ...read, after: unpacked(read.after) };
  checkTarget(request);
  return request;
}
