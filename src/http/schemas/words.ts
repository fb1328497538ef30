import * as z from "zod";
import { nearest } from "../../lib/nearest.ts";

/** A word of a list, refused with the nearest that there is. */
export function wordOf(what: string, names: readonly string[]) {
  return z.enum(names, {
    error: ({ input }) => {
      if (input === undefined) return `a ${what} is needed`;
      if (typeof input !== "string") return `the ${what} is a string`;
      return notAmong(what, input, names);
    },
  });
}

/** An object that has these members and no other; one too many is refused by name. */
export function closedObject<const Shape extends z.core.$ZodLooseShape>(
  what: string,
  shape: Shape,
) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => notAmong(what, key, names)).join("; ")
        : undefined,
  });
}

function notAmong(what: string, word: string, names: readonly string[]): string {
  const suggestion = nearest(word, names);
  const unknown = `there is no ${what} ${JSON.stringify(word.slice(0, 60))}`;
  return suggestion
    ? `${unknown}, did you mean "${suggestion}"?`
    : `${unknown}, there are ${names.join(", ")}`;
}
