/**
 * Short forms of the names that records repeat most, within JSON strings: `:…` is the account id
 * `did:plc:…`, `@<account>/<key>` the uri of an account's post, and `"…` escapes a name that begins
 * like one of these.
 */
const accountPrefix = "did:plc:";
const uriPrefix = "at://";
const [time, colon, quote] = [0x40, 0x3a, 0x22];
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
  if (short.charCodeAt(0) !== time) return longAccount(short);
  const end = short.indexOf("/");
  return uriPrefix + longAccount(short.slice(1, end)) + collection + short.slice(end + 1);
}

function shortAccount(name: string): string {
  if (name.startsWith(accountPrefix)) return `:${name.slice(accountPrefix.length)}`;
  return /^[:@"]/.test(name) ? `"${name}` : name;
}

function longAccount(short: string): string {
  const first = short.charCodeAt(0);
  if (first === colon) return accountPrefix + short.slice(1);
  return first === quote ? short.slice(1) : short;
}

/** Shortens `{"id","uri","username","user_id"}` of a Bluesky post to its short uri; leaves other references unchanged. */
export function shortReference(reference: string): string {
  const [, uri] = /^\{"id":null,"uri":"(at:[^"]*)"/.exec(reference) ?? [];
  if (uri === undefined) return reference;
  const short = shortName(uri);
  return short.startsWith("@") && longReference(short) === reference ? short : reference;
}

export function longReference(short: string): string {
  if (!short.startsWith("@")) return short;
  const account = longAccount(short.slice(1, short.indexOf("/")));
  return `{"id":null,"uri":"${expandShortName(short)}","username":null,"user_id":"${account}"}`;
}
