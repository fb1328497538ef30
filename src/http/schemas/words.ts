import * as z from "zod";
import { nearest } from "../../lib/nearest.ts";

/** What a message of a schema does not hold itself: how to mend it, or the names that an object has. */
const hints = new Map<string, string>();
const nameLists = new Map<string, { what: string; names: readonly string[] }>();

/** A message of a schema, with what to do about it. */
export function wording(message: string, hint: string): { error: string } {
  hints.set(message, hint);
  return { error: message };
}

/** What to do about a message of a schema; undefined when the message says it. */
export function hintOf(message: string): string | undefined {
  return hints.get(message);
}

/** A word of a list, refused with the nearest that there is. */
export function wordOf(what: string, names: readonly string[], hint: string) {
  const missing = `a ${what} is needed`;
  const noText = `the ${what} is a string`;
  for (const message of [missing, noText]) hints.set(message, hint);
  return z.enum(names, {
    error: ({ input }) => {
      if (input === undefined) return missing;
      return typeof input === "string" ? notAmong(what, input, names) : noText;
    },
  });
}

/** An object that has these members and no other; each one too many is refused by name. */
export function closedObject<const Shape extends z.core.$ZodLooseShape>(
  { what, needed, hint }: { what: string; needed: string; hint: string },
  shape: Shape,
) {
  const names = Object.keys(shape);
  const tooMany = `there are no other ${what}s than ${names.join(", ")}`;
  nameLists.set(tooMany, { what, names });
  hints.set(needed, hint);
  return z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? tooMany : needed),
  });
}

/** What is wrong with a name that an object does not have; `message` is the object's own. */
export function unknownName(message: string, name: string): string {
  const list = nameLists.get(message);
  return list === undefined ? message : notAmong(list.what, name, list.names);
}

/** So much of a name that nobody knows is repeated. */
const longestEcho = 60;

export function shortName(name: string): string {
  return name.length <= longestEcho ? name : `${name.slice(0, longestEcho).toWellFormed()}…`;
}

/** What is wrong with a word that is not in a list, and which was meant. */
export function notAmong(what: string, word: string, names: readonly string[]): string {
  const shown = shortName(word);
  const suggestion = nearest(shown, names);
  const unknown = `there is no ${what} ${JSON.stringify(shown)}`;
  return suggestion
    ? `${unknown}, did you mean "${suggestion}"?`
    : `${unknown}, there are ${names.join(", ")}`;
}
