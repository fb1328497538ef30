/**
 * Lists of strings whose items stand in a text, as places in it. Everything is a JSON text, so that an item is cut out of the
 * text as it will be sent: what is found need not begin where a character begins, only be the same.
 *
 * An item is two numbers: how far after the end of the one before it begins, and its length. A number is one character below
 * 40, else two, up to 1,575.
 */

const firstDigit = 0x30;
const shortNumbers = 40;
const digits = 64;
const numbers = shortNumbers + (digits - shortNumbers) * digits;
const betweenItems = '","';

/** The places of the items of `list`, `["…","…"]`, in the inside of a JSON string; null where one is not found in its turn. */
export function spansOf(list: string, text: string): string | null {
  if (!list.startsWith('["') || !list.endsWith('"]')) return null;
  let spans = "";
  let end = 0;
  // A quote within an item may part it in two; put together again they are the same text.
  for (const item of list.slice(2, -2).split(betweenItems)) {
    const start = text.indexOf(item, end);
    if (start === -1 || start - end >= numbers || item.length >= numbers) return null;
    spans += numberText(start - end) + numberText(item.length);
    end = start + item.length;
  }
  return spans;
}

/** The list that `spansOf` was given. */
export function listOfSpans(spans: string, text: string): string {
  let list = "";
  let at = 0;
  let end = 0;
  while (at < spans.length) {
    const start = end + numberAt(spans, at);
    at += widthAt(spans, at);
    end = start + numberAt(spans, at);
    at += widthAt(spans, at);
    list += (list === "" ? '["' : betweenItems) + text.slice(start, end);
  }
  return `${list}"]`;
}

function numberText(number: number): string {
  if (number < shortNumbers) return String.fromCharCode(firstDigit + number);
  const rest = number - shortNumbers;
  return String.fromCharCode(
    firstDigit + shortNumbers + Math.floor(rest / digits),
    firstDigit + (rest % digits),
  );
}

function numberAt(spans: string, at: number): number {
  const first = spans.charCodeAt(at) - firstDigit;
  if (first < shortNumbers) return first;
  const high = (first - shortNumbers) * digits;
  return shortNumbers + high + spans.charCodeAt(at + 1) - firstDigit;
}

const widthAt = (spans: string, at: number): 1 | 2 =>
  spans.charCodeAt(at) - firstDigit < shortNumbers ? 1 : 2;
