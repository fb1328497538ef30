type MediaRange = { type: string; subtype: string; weight: number };

type Choice<Name> = { name: Name; weight: number; precision: number; position: number };

/**
 * Negotiates by RFC 9110, section 12.5.1. Ties go to the more specific range, then to the earlier
 * range, then to the earlier type in `offeredTypes`. Without a header, returns the first type; null if
 * none is acceptable.
 */
export function preferredType<Name extends string>(
  accept: string | undefined,
  offeredTypes: readonly Name[],
): Name | null {
  if (accept === undefined || accept.trim() === "") return offeredTypes[0] ?? null;
  const ranges = splitOutsideQuotes(accept, ",").map(elementRange);
  const choices = offeredTypes.flatMap((name) => getChoice(name, ranges) ?? []);
  const [best] = choices.sort(
    (a, b) => b.weight - a.weight || b.precision - a.precision || a.position - b.position,
  );
  return best?.name ?? null;
}

function getChoice<Name extends string>(
  name: Name,
  ranges: readonly (MediaRange | null)[],
): Choice<Name> | null {
  const [type, subtype] = name.split("/");
  let best: Choice<Name> | null = null;
  for (const [position, range] of ranges.entries()) {
    if (range === null) continue;
    const isType = range.type === type;
    const isSubtype = range.subtype === subtype;
    if (!(isType || range.type === "*") || !(isSubtype || range.subtype === "*")) continue;
    const precision = Number(isType) + Number(isSubtype);
    if (best === null || precision > best.precision) {
      best = { name, weight: range.weight, precision, position };
    }
  }
  return best !== null && best.weight > 0 ? best : null;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const mediaRange = new RegExp(`^(${token})/(${token})$`);
const weight = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

function elementRange(element: string): MediaRange | null {
  const [name = "", ...parameters] = splitOutsideQuotes(element, ";").map((part) => part.trim());
  const [, type, subtype] = mediaRange.exec(name.toLowerCase()) ?? [];
  if (type === undefined || subtype === undefined) return null;
  if (type === "*" && subtype !== "*") return null;
  const quality = parameters.find((parameter) => /^q\s*=/i.test(parameter));
  if (quality === undefined) return { type, subtype, weight: 1 };
  const value = weight.exec(quality)?.[1];
  return value === undefined ? null : { type, subtype, weight: Number(value) };
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isQuoted && character === "\\") index += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)];
}
