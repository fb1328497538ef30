import * as z from "zod";
import type { LeaseFailure } from "../../jobs/leases/lease.ts";
import { parseUntrustedJson } from "../../lib/bounded-json.ts";
import { stripControls } from "../../lib/controls.ts";
import type { AnswerRequest, SourceAnswer } from "../../platforms/source.ts";
import { checkTarget } from "./check-target.ts";
import { answerRefused, jobRefused } from "./errors.ts";
import { failureShape, knowledgeShape, requestShape } from "./wire.ts";

export type Knowledge = Omit<SourceAnswer, "items">;

const maxRequestCharacters = 262_144;
const maxKnowledgeCharacters = 4_194_304;
const maxFailureBytes = 65_536;
const maxMessageCharacters = 4_096;

export function requestText(request: AnswerRequest): string {
  const { target = null, position = null } = request;
  return canonicalText(requestShape, { ...request, target, place: position });
}

/** Errors: `job_refused`, unless `text` is what `requestText` writes and its target matches. */
export function readRequest(text: string): AnswerRequest {
  const parsed = readCanonical(requestShape, text, maxRequestCharacters);
  if (parsed === null) throw jobRefused("request_malformed", "the request is malformed");
  const { place: position, ...rest } = parsed;
  const request = { ...rest, position };
  checkTarget(request);
  return request;
}

export function knowledgeText(answer: Knowledge): string {
  return canonicalText(knowledgeShape, { ...answer, nextPlace: answer.nextPosition ?? null });
}

export function readKnowledge(text: string): Knowledge {
  const knowledge = readCanonical(knowledgeShape, text, maxKnowledgeCharacters);
  if (knowledge === null) {
    throw answerRefused("knowledge_malformed", "the answer's knowledge is malformed");
  }
  const { nextPlace: nextPosition, ...rest } = knowledge;
  return { ...rest, nextPosition, warnings: knowledge.warnings.map(makePrintable) };
}

export function failureBytes({ code, message, status, retryable, hint }: LeaseFailure): Uint8Array {
  const truncate = (text: string) => text.slice(0, maxMessageCharacters);
  const hintField = hint === undefined ? {} : { hint: truncate(hint) };
  return Buffer.from(
    JSON.stringify({ code, message: truncate(message), status, retryable, ...hintField }),
  );
}

export function readFailure(plaintext: Uint8Array): LeaseFailure {
  try {
    if (plaintext.length > maxFailureBytes) throw new Error("too long");
    return makePrintable(failureShape.parse(parseUntrustedJson(plaintext)));
  } catch {
    throw answerRefused("malformed", "the failure is malformed");
  }
}

function makePrintable<Texts extends { message: string; hint?: string }>(texts: Texts): Texts {
  const { message, hint } = texts;
  const hintField = hint === undefined ? {} : { hint: stripControls(hint) };
  return { ...texts, message: stripControls(message), ...hintField };
}

/** Canonical JSON, without unknown members. */
const canonicalText = <Shape extends z.ZodType>(shape: Shape, value: unknown): string =>
  JSON.stringify(z.encode(shape, value as z.output<Shape>));

function readCanonical<Shape extends z.ZodType>(
  shape: Shape,
  text: string,
  maxCharacters: number,
): z.output<Shape> | null {
  if (text.length > maxCharacters) return null;
  try {
    const value = shape.parse(parseUntrustedJson(text));
    return canonicalText(shape, value) === text ? value : null;
  } catch {
    return null;
  }
}
