import * as z from "zod";
import type { LeaseFailure } from "../../jobs/lease.ts";
import { parseUntrustedJson } from "../../lib/bounded-json.ts";
import type { AnswerRequest, SourceAnswer } from "../../platforms/source.ts";
import { withoutControls } from "../../text/controls.ts";
import { checkTarget } from "./check-target.ts";
import { answerRefused, jobRefused } from "./errors.ts";
import { failureShape, knowledgeShape, requestShape } from "./wire.ts";

/** What a node reports of its answer: everything but the items. */
export type Knowledge = Omit<SourceAnswer, "items">;

const mostRequestCharacters = 262_144;
const mostKnowledgeCharacters = 4_194_304;
const mostFailureBytes = 65_536;
const mostMessageCharacters = 4_096;

/** A request as text: encrypted for the node, and covered by the signature of its answer. It does not name the account. */
export function requestText(request: AnswerRequest): string {
  const { target = null, place = null } = request;
  return textOf(requestShape, { ...request, target, place });
}

/**
 * Errors: `job_refused` with `request_malformed` for anything but what `requestText` writes, and `target_mismatch` for a target
 * that the query does not name.
 */
export function readRequest(text: string): AnswerRequest {
  const request = readAs(requestShape, text, mostRequestCharacters);
  if (request === null) throw jobRefused("request_malformed", "the request cannot be read");
  checkTarget(request);
  return request;
}

/** What is signed beside the body of an answer. Errors: what a gateway would not read. */
export function knowledgeText(answer: Knowledge): string {
  return textOf(knowledgeShape, { ...answer, nextPlace: answer.nextPlace ?? null });
}

/** Errors: `answer_refused` with `knowledge_malformed` for anything but what `knowledgeText` writes. */
export function readKnowledge(text: string): Knowledge {
  const knowledge = readAs(knowledgeShape, text, mostKnowledgeCharacters);
  if (knowledge === null) {
    throw answerRefused(
      "knowledge_malformed",
      "what the node reports of its answer cannot be read",
    );
  }
  return { ...knowledge, warnings: knowledge.warnings.map(printable) };
}

/** Why there is no answer, as bytes. Texts that are too long are cut. */
export function failureBytes({ code, message, status, retryable, hint }: LeaseFailure): Uint8Array {
  const cut = (text: string) => text.slice(0, mostMessageCharacters);
  const hinted = hint === undefined ? {} : { hint: cut(hint) };
  return Buffer.from(JSON.stringify({ code, message: cut(message), status, retryable, ...hinted }));
}

/** Errors: `answer_refused` with `malformed`. */
export function readFailure(plain: Uint8Array): LeaseFailure {
  try {
    if (plain.length > mostFailureBytes) throw new Error("too long");
    return printable(failureShape.parse(parseUntrustedJson(plain)));
  } catch {
    throw answerRefused("malformed", "the failure is malformed");
  }
}

/** Texts that are shown to people, without control characters. */
function printable<Texts extends { message: string; hint?: string }>(texts: Texts): Texts {
  const { message, hint } = texts;
  const hinted = hint === undefined ? {} : { hint: withoutControls(hint) };
  return { ...texts, message: withoutControls(message), ...hinted };
}

/** The one spelling of a value; members that its shape does not know are left out. Errors: what does not fit the shape. */
const textOf = <Shape extends z.ZodType>(shape: Shape, value: unknown): string =>
  JSON.stringify(z.encode(shape, value as z.output<Shape>));

/** The value of a text; null for anything but its one spelling. */
function readAs<Shape extends z.ZodType>(
  shape: Shape,
  text: string,
  mostCharacters: number,
): z.output<Shape> | null {
  if (text.length > mostCharacters) return null;
  try {
    const value = shape.parse(parseUntrustedJson(text));
    return textOf(shape, value) === text ? value : null;
  } catch {
    return null;
  }
}
