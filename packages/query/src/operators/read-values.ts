import { foldHandle, readMention } from "../text/entities.ts";
import { type Operand, operandError, truncated } from "./operand.ts";
import { countRangeQuery, parseAbbreviatedCount, readRange } from "./suggestions.ts";

const did = /^did:[a-z0-9]+:[a-z0-9._:%-]*[a-z0-9._-]$/i;

/** Accepts a username, dotted handle, `user@host`, DID or numeric id, with or without `@`. */
export function readUserOperand(operator: string, text: string): Operand<string> {
  const bare = text.normalize("NFKC").replace(/^@+/, "");
  if (did.test(bare)) return { value: bare };
  const mention = readMention(`@${bare}`, 0);
  if (mention !== null && mention.end === bare.length + 1) {
    return { value: foldHandle(mention.value) };
  }
  const wrapped =
    /^https?:\/\/[^/]+\/(?:@|profile\/)?([a-z0-9_.-]+)\/?$/i.exec(bare) ??
    /^['‘’]@?([a-z0-9_.-]+)['‘’]$/i.exec(bare);
  return operandError(
    "invalid_user",
    `${operator}: must be a username, not ${truncated(text)}`,
    ["a username", "a handle such as nasa.bsky.social", "a DID"],
    wrapped === null ? `use a value such as ${operator}:nasa` : `write ${operator}:${wrapped[1]}`,
  );
}

export function readCountOperand(operator: string, text: string): Operand<number> {
  const digits = text.normalize("NFKC");
  const count = /^\d{1,16}$/.test(digits) ? Number(digits) : Number.NaN;
  if (Number.isSafeInteger(count)) return { value: count };
  const suggestion = suggestedQuery(operator, digits);
  return operandError(
    "invalid_count",
    `${operator}: must be a whole number, not ${truncated(text)}`,
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
