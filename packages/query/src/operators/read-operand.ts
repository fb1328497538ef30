import { urlQueryTokens } from "../text/urls.ts";
import { type Platform, platforms } from "../tree/platform.ts";
import type { CountMetric, PostRelation } from "../tree/tree.ts";
import { nearest } from "./nearest.ts";
import { type BareLeaf, mapOperand, type Operand, operandError, truncate } from "./operand.ts";
import type { OperatorName } from "./operators.ts";
import { readPostUrl } from "./post-url.ts";
import { readDate } from "./read-date.ts";
import { readGeocode } from "./read-geocode.ts";
import { readHost } from "./read-host.ts";
import { readLanguage } from "./read-language.ts";
import { readIdOperand, readPostOperand } from "./read-post.ts";
import { readDuration, readUnixTime } from "./read-time.ts";
import { readCountOperand, readUserOperand } from "./read-values.ts";

/** `operator` is the name used in the query, for messages. */
type ReadLeaf = (operator: string, value: string) => Operand<BareLeaf>;

const userLeaf =
  (kind: "from" | "to" | "quoted-user" | "retweets-of"): ReadLeaf =>
  (operator, value) =>
    mapOperand(readUserOperand(operator, value), (user) => ({ kind, user }));

const countLeaf =
  (metric: CountMetric): ReadLeaf =>
  (operator, value) =>
    mapOperand(readCountOperand(operator, value), (atLeast) => ({
      kind: "min-count",
      metric,
      atLeast,
    }));

const relationLeaf =
  (relation: PostRelation): ReadLeaf =>
  (operator, value) =>
    mapOperand(readPostOperand(operator, value), (post) => ({ kind: "related", relation, post }));

type ReadTime = (operator: string, value: string) => Operand<number>;

const timeLeaf =
  (kind: "since" | "until" | "within", read: ReadTime): ReadLeaf =>
  (operator, value) =>
    mapOperand(read(operator, value), (ms) => ({ kind, ms }));

const idLeaf =
  (kind: "since-id" | "max-id"): ReadLeaf =>
  (operator, value) =>
    mapOperand(readIdOperand(operator, value), (id) => ({ kind, id }));

export const leafReaders: Readonly<Record<OperatorName, ReadLeaf>> = {
  from: userLeaf("from"),
  to: userLeaf("to"),
  lang: (_, value) => mapOperand(readLanguage(value), (code) => ({ kind: "lang", code })),
  since: timeLeaf("since", readDate),
  until: timeLeaf("until", readDate),
  since_time: timeLeaf("since", readUnixTime),
  until_time: timeLeaf("until", readUnixTime),
  within_time: timeLeaf("within", readDuration),
  since_id: idLeaf("since-id"),
  max_id: idLeaf("max-id"),
  min_faves: countLeaf("likes"),
  min_retweets: countLeaf("reposts"),
  min_replies: countLeaf("replies"),
  min_quotes: countLeaf("quotes"),
  conversation_id: relationLeaf("conversation_id"),
  in_reply_to: relationLeaf("in_reply_to"),
  quoted: relationLeaf("quoted"),
  retweets_of_tweet_id: relationLeaf("retweets_of_tweet_id"),
  quoted_user_id: userLeaf("quoted-user"),
  retweets_of: userLeaf("retweets-of"),
  geocode: (_, value) =>
    mapOperand(readGeocode(value), (circle) => ({ kind: "geocode", ...circle })),
  url: (_, value) => mapOperand(readUrl(value), (text) => ({ kind: "url", text })),
  domain: (operator, value) =>
    mapOperand(readHost(operator, value), (host) => ({ kind: "domain", host })),
  platform: (operator, value) =>
    mapOperand(readPlatform(operator, value), (platform) => ({ kind: "platform", platform })),
  label: (_, value) => ({ value: { kind: "label", label: value.toLowerCase() } }),
  source: (_, value) => ({ value: { kind: "source", name: value } }),
};

function readUrl(value: string): Operand<string> {
  const { text, warning } = readPostUrl(value);
  if (urlQueryTokens(text).length > 0) {
    return warning === null
      ? { value: text }
      : { value: text, warning: { code: "post_address", ...warning } };
  }
  return operandError(
    "invalid_url",
    `url: must be a URL or a part of one, not ${truncate(value)}`,
    ["a host, a path or a URL"],
    'use a value such as url:"nasa.gov/artemis"',
  );
}

const platformAliases: Readonly<Record<string, Platform>> = { twitter: "x", bsky: "bluesky" };

function readPlatform(operator: string, text: string): Operand<Platform> {
  const name = text.normalize("NFKC").toLowerCase();
  const platform = platformNamed(name);
  if (platform !== null) return { value: platform };
  const nearestName = nearest(name, [...platforms, ...Object.keys(platformAliases)]);
  return operandError(
    "unknown_platform",
    `unknown value of ${operator}: ${truncate(text)}`,
    platforms,
    nearestName === null
      ? `write ${platforms.map((other) => `${operator}:${other}`).join(" or ")}`
      : `did you mean ${operator}:${platformNamed(nearestName) ?? nearestName}`,
  );
}

function platformNamed(name: string): Platform | null {
  const exactMatch = platforms.find((platform) => platform === name);
  return (
    exactMatch ?? (Object.hasOwn(platformAliases, name) ? (platformAliases[name] ?? null) : null)
  );
}
