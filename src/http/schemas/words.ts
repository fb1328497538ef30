import { nearest } from "@earshot/query";
import * as z from "zod";

/** Member names of each closed object, by its message for unknown members. */
const nameLists = new Map<string, { kind: string; names: readonly string[] }>();

/** Separates message and hint in the single string that zod has per error. No message contains it. */
const separator = "\u0000";

export function errorWithHint(message: string, hint: string): { error: string } {
  return { error: `${message}${separator}${hint}` };
}

export function splitHint(text: string): { message: string; hint: string | undefined } {
  const [message = "", hint] = text.split(separator);
  return { message, hint };
}

/** Errors suggest the nearest match. */
export function namedEnum(kind: string, names: readonly string[], hint: string) {
  const missingError = errorWithHint(`${kind} is required`, hint).error;
  const notStringError = errorWithHint(`${kind} must be a string`, hint).error;
  return z.enum(names, {
    error: ({ input }) => {
      if (input === undefined) return missingError;
      return typeof input === "string" ? unknownValueMessage(kind, input, names) : notStringError;
    },
  });
}

export function closedObject<const Shape extends z.core.$ZodLooseShape>(
  { kind, message, hint }: { kind: string; message: string; hint: string },
  shape: Shape,
) {
  const names = Object.keys(shape);
  const unknownMember = `unknown ${kind}, expected one of ${names.join(", ")}`;
  nameLists.set(unknownMember, { kind, names });
  const { error: notObjectError } = errorWithHint(message, hint);
  return z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? unknownMember : notObjectError),
  });
}

export const closedQuery = <const Shape extends z.core.$ZodLooseShape>(
  hint: string,
  shape: Shape,
) => closedObject({ kind: "parameter", message: "invalid query string", hint }, shape);

export function unknownMemberMessage(message: string, name: string): string {
  const list = nameLists.get(message);
  return list === undefined ? message : unknownValueMessage(list.kind, name, list.names);
}

/** Maximum length of an echoed unknown name. */
const maxEchoLength = 60;

export function shortenedName(name: string): string {
  return name.length <= maxEchoLength ? name : `${name.slice(0, maxEchoLength).toWellFormed()}…`;
}

export function unknownValueMessage(kind: string, word: string, names: readonly string[]): string {
  const shortWord = shortenedName(word);
  const suggestion = nearest(shortWord, names);
  const prefix = `unknown ${kind} ${JSON.stringify(shortWord)}`;
  return suggestion
    ? `${prefix}, did you mean "${suggestion}"?`
    : `${prefix}, expected ${names.length === 1 ? "" : "one of "}${names.join(", ")}`;
}
