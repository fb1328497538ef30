import type { AuthorizationStep } from "../../../../src/http/dashboard/contract/credentials.ts";

export type Question = Extract<AuthorizationStep, { state: "question" }>;

export type Part = { kind: "text"; text: string } | { kind: "address"; address: string };

/** Paragraphs before the question; web addresses become links. */
export function splitQuestion({ texts }: Question): readonly Part[] {
  const paragraphs = texts.flatMap((text) => text.split(/\n\s*\n/)).map((text) => text.trim());
  return paragraphs
    .filter((text) => text !== "")
    .map((text) => (isAddress(text) ? { kind: "address", address: text } : { kind: "text", text }));
}

export function isAddress(text: string): boolean {
  const address = /\s/.test(text) ? null : URL.parse(text);
  return address !== null && (address.protocol === "https:" || address.protocol === "http:");
}
