/**
 * A list of strings that occur in a text, as spans of it. A span may begin within an escape
 * sequence. An item is two numbers: the distance from the previous item's end, and the length. A
 * number below 40 takes one character, others up to 1,575 take two.
 */

const firstDigit = 0x30;
const oneDigitNumbers = 40;
const digits = 64;
const numberLimit = oneDigitNumbers + (digits - oneDigitNumbers) * digits;
const betweenItems = '","';

export function findSpans(list: string, text: string): string | null {
  if (!list.startsWith('["') || !list.endsWith('"]')) return null;
  let spans = "";
  let end = 0;
  // An escaped quote can shift where the list is split; joining restores the list.
  for (const item of list.slice(2, -2).split(betweenItems)) {
    const start = text.indexOf(item, end);
    if (start === -1 || start - end >= numberLimit || item.length >= numberLimit) return null;
    spans += numberText(start - end) + numberText(item.length);
    end = start + item.length;
  }
  return spans;
}

export function encodeSpans(spans: string, text: string): string {
  let list = "";
  let offset = 0;
  let end = 0;
  while (offset < spans.length) {
    const start = end + numberAt(spans, offset);
    offset += widthAt(spans, offset);
    end = start + numberAt(spans, offset);
    offset += widthAt(spans, offset);
    list += (list === "" ? '["' : betweenItems) + text.slice(start, end);
  }
  return `${list}"]`;
}

function numberText(number: number): string {
  if (number < oneDigitNumbers) return String.fromCharCode(firstDigit + number);
  const rest = number - oneDigitNumbers;
  return String.fromCharCode(
    firstDigit + oneDigitNumbers + Math.floor(rest / digits),
    firstDigit + (rest % digits),
  );
}

function numberAt(spans: string, offset: number): number {
  const first = spans.charCodeAt(offset) - firstDigit;
  if (first < oneDigitNumbers) return first;
  const high = (first - oneDigitNumbers) * digits;
  return oneDigitNumbers + high + spans.charCodeAt(offset + 1) - firstDigit;
}

const widthAt = (spans: string, offset: number): 1 | 2 =>
  spans.charCodeAt(offset) - firstDigit < oneDigitNumbers ? 1 : 2;
