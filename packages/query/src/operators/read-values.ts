import { foldHandle, readMention } from "../text/entities.ts";
import { type Operand, operandError, truncate } from "./operand.ts";
import { countRangeQuery, parseAbbreviatedCount, readRange } from "./suggestions.ts";

const did = /^did:[a-z0-9]+:[a-z0-9._:%-]*[a-z0-9._-]$/i;

/** Accepts a username, dotted handle, `user@host`, DID or numeric id, with or without `@`. */
export function readUserOperand(operator: string, text: string): Operand<string> {
  const username = text.normalize("NFKC").replace(/^@+/, "");
  if (did.test(username)) return { value: username };
  const mention = readMention(`@${username}`, 0);
  if (mention !== null && mention.end === username.length + 1) {
    return { value: foldHandle(mention.value) };
  }
  const match =
    /^https?:\/\/[^/]+\/(?:@|profile\/)?([a-z0-9_.-]+)\/?$/i.exec(username) ??
    /^['‘’]@?([a-z0-9_.-]+)['‘’]$/i.exec(username);
  return operandError(
    "invalid_user",
    `${operator}: must be a username, not ${truncate(text)}`,
    ["a username", "a handle such as nasa.bsky.social", "a DID"],
    match === null ? `use a value such as ${operator}:nasa` : `write ${operator}:${match[1]}`,
  );
}

export function readCountOperand(operator: string, text: string): Operand<number> {
  const digits = text.normalize("NFKC");
  const count = /^\d{1,16}$/.test(digits) ? Number(digits) : Number.NaN;
  if (Number.isSafeInteger(count)) return { value: count };
  const suggestion = suggestedQuery(operator, digits);
  return operandError(
    "invalid_count",
    `${operator}: must be a whole number, not ${truncate(text)}`,
    ["a number in plain digits"],
    suggestion === null ? `use a value such as ${operator}:100` : `write ${suggestion}`,
  );
}

function suggestedQuery(operator: string, text: string): string | null {
  const range = readRange(text);
  if (range !== null) return countRangeQuery(operator, range);
  const count = parseAbbreviatedCount(text.replace(/\+$/, ""));
  return count === null || !Number.isSafeInteger(count) ? null : `${operator}:${count}`;
}
