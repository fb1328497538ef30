import * as z from "zod";
import { nearest } from "../../lib/nearest.ts";

/** The names that an object has, by what is said when there is another one. */
const nameLists = new Map<string, { what: string; names: readonly string[] }>();

/** Stands between a message and its hint, as zod keeps nothing else of a fault. No message holds it. */
const separator = "\u0000";

/** A message of a schema, with what to do about it: two schemas may say the same and mend it differently. */
export function wording(message: string, hint: string): { error: string } {
  return { error: `${message}${separator}${hint}` };
}

/** Takes a message of a schema apart; `hint` is undefined when the message says it all. */
export function readWording(written: string): { message: string; hint: string | undefined } {
  const [message = "", hint] = written.split(separator);
  return { message, hint };
}

/** A word of a list, refused with the nearest that there is. */
export function wordOf(what: string, names: readonly string[], hint: string) {
  const missing = wording(`a ${what} is needed`, hint).error;
  const noText = wording(`the ${what} is a string`, hint).error;
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
  const { error: noObject } = wording(needed, hint);
  return z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? tooMany : noObject),
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
