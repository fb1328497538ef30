import type { AuthorizationStep } from "../../../../src/http/dashboard/contract/credentials.ts";

export type Question = Extract<AuthorizationStep, { state: "question" }>;

export type QuestionPart = { kind: "text"; text: string } | { kind: "address"; address: string };

/** Paragraphs before the question; web addresses become links. */
export function splitQuestion({ texts }: Question): readonly QuestionPart[] {
  const paragraphs = texts.flatMap((text) => text.split(/\n\s*\n/)).map((text) => text.trim());
  return paragraphs
    .filter((text) => text !== "")
    .map((text) => (isHttpUrl(text) ? { kind: "address", address: text } : { kind: "text", text }));
}

export function isHttpUrl(text: string): boolean {
  const url = /\s/.test(text) ? null : URL.parse(text);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:");
}
