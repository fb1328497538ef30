/**
 * Short forms of the names that records repeat most, within JSON strings: `:…` is the account id
 * `did:plc:…`, `@<account>/<key>` is the uri of a post by the account, and `"…` escapes a name that
 * begins like one of these.
 */
const accountPrefix = "did:plc:";
const uriPrefix = "at://";
const [atSign, colon, quote] = [0x40, 0x3a, 0x22];
const collection = "/app.bsky.feed.post/";

export function shortName(name: string): string {
  if (name.startsWith(uriPrefix)) {
    const end = name.indexOf(collection);
    const account = name.slice(uriPrefix.length, end);
    if (end !== -1 && !account.includes("/")) {
      return `@${shortAccount(account)}/${name.slice(end + collection.length)}`;
    }
  }
  return shortAccount(name);
}

export function expandShortName(short: string): string {
  if (short.charCodeAt(0) !== atSign) return expandAccount(short);
  const end = short.indexOf("/");
  return uriPrefix + expandAccount(short.slice(1, end)) + collection + short.slice(end + 1);
}

function shortAccount(name: string): string {
  if (name.startsWith(accountPrefix)) return `:${name.slice(accountPrefix.length)}`;
  return /^[:@"]/.test(name) ? `"${name}` : name;
}

function expandAccount(short: string): string {
  const first = short.charCodeAt(0);
  if (first === colon) return accountPrefix + short.slice(1);
  return first === quote ? short.slice(1) : short;
}

/**
 * Shortens `{"id","uri","username","user_id"}` of a Bluesky post to its short uri; leaves other
 * references unchanged.
 */
export function shortReference(reference: string): string {
  const [, uri] = /^\{"id":null,"uri":"(at:[^"]*)"/.exec(reference) ?? [];
  if (uri === undefined) return reference;
  const short = shortName(uri);
  return short.startsWith("@") && expandReference(short) === reference ? short : reference;
}

export function expandReference(short: string): string {
  if (!short.startsWith("@")) return short;
  const account = expandAccount(short.slice(1, short.indexOf("/")));
  return `{"id":null,"uri":"${expandShortName(short)}","username":null,"user_id":"${account}"}`;
}

/**
 * A list of strings that occur in a text, encoded as spans of it. A span may begin within an escape
 * sequence. Each item is two numbers: the distance from the end of the previous item, and the
 * length. A number below 40 takes one character, others up to 1,575 take two.
 */

const firstDigit = 0x30;
const oneDigitLimit = 40;
const radix = 64;
const numberLimit = oneDigitLimit + (radix - oneDigitLimit) * radix;
const itemSeparator = '","';

export function encodeList(list: string, text: string): string | null {
  if (!list.startsWith('["') || !list.endsWith('"]')) return null;
  let spans = "";
  let end = 0;
  // An escaped quote can shift where the list is split; joining restores the list.
  for (const item of list.slice(2, -2).split(itemSeparator)) {
    const start = text.indexOf(item, end);
    if (start === -1 || start - end >= numberLimit || item.length >= numberLimit) return null;
    spans += encodeNumber(start - end) + encodeNumber(item.length);
    end = start + item.length;
  }
  return spans;
}

export function decodeList(spans: string, text: string): string {
  let list = "";
  let offset = 0;
  let end = 0;
  while (offset < spans.length) {
    const start = end + numberAt(spans, offset);
    offset += widthAt(spans, offset);
    end = start + numberAt(spans, offset);
    offset += widthAt(spans, offset);
    list += (list === "" ? '["' : itemSeparator) + text.slice(start, end);
  }
  return `${list}"]`;
}

function encodeNumber(number: number): string {
  if (number < oneDigitLimit) return String.fromCharCode(firstDigit + number);
  const excess = number - oneDigitLimit;
  return String.fromCharCode(
    firstDigit + oneDigitLimit + Math.floor(excess / radix),
    firstDigit + (excess % radix),
  );
}

function numberAt(spans: string, offset: number): number {
  const first = spans.charCodeAt(offset) - firstDigit;
  if (first < oneDigitLimit) return first;
  const high = (first - oneDigitLimit) * radix;
  return oneDigitLimit + high + spans.charCodeAt(offset + 1) - firstDigit;
}

const widthAt = (spans: string, offset: number): 1 | 2 =>
  spans.charCodeAt(offset) - firstDigit < oneDigitLimit ? 1 : 2;
