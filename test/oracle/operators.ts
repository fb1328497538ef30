import { authorTest, blueskyPageUris, personTest } from "./accounts.ts";
import { type AnalyzedPost, foldLanguage, foldSource, postNames, xPostNumber } from "./analyze.ts";
import { parseFilter } from "./filters.ts";
import { encodeParts, parseLink } from "./links.ts";
import { parseDuration, parseTime } from "./times.ts";
import type { OracleContext } from "./types.ts";

const platformAliases: Record<string, string> = { bsky: "bluesky", twitter: "x" };

export type Test = (post: AnalyzedPost) => boolean;

/** Undefined if the operator has no effect. */
type Operator = (value: string, context: OracleContext) => Test | undefined;

const earthRadiusKm = 6371.0088;
const kmPerMile = 1.609344;

function requireCount(value: string): string {
  if (!/^\d+$/.test(value)) throw new Error(`not a count: ${value}`);
  return value;
}

function parseCount(value: string): number {
  return Number(requireCount(value));
}

function distanceKm(a: { lat: number; lon: number }, b: { lat: number; lon: number }) {
  const radians = Math.PI / 180;
  const vertical = Math.sin(((b.lat - a.lat) * radians) / 2) ** 2;
  const horizontal = Math.sin(((b.lon - a.lon) * radians) / 2) ** 2;
  const haversine = vertical + Math.cos(a.lat * radians) * Math.cos(b.lat * radians) * horizontal;
  return 2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(haversine)));
}

function geocode(value: string): Test {
  const number = String.raw`([+-]?\d+(?:\.\d+)?|[+-]?\.\d+)`;
  const pattern = new RegExp(`^${number},${number},${number}(km|mi)$`, "i");
  const [, lat, lon, radius, unit] = pattern.exec(value) ?? [];
  if (unit === undefined) throw new Error(`not a circle: ${value}`);
  const radiusKm = Number(radius) * (unit.toLowerCase() === "mi" ? kmPerMile : 1);
  const center = { lat: Number(lat), lon: Number(lon) };
  return ({ post }) =>
    post.Metadata.geo !== null && distanceKm(center, post.Metadata.geo) <= radiusKm;
}

function valueNames(value: string, context: OracleContext): Set<string> {
  const number = /^\d+$/.test(value) ? value : xPostNumber(value);
  const names = new Set([value, ...blueskyPageUris(value, context)]);
  if (number) names.add(`x:${BigInt(number)}`);
  if (!/^\d+$/.test(value)) return names;
  names.add(`imported:${BigInt(value)}`);
  for (const { ID, Metadata } of context.posts) {
    if (BigInt(ID) !== BigInt(value)) continue;
    const [name] = postNames(Metadata.platform, Metadata.uri);
    if (name) names.add(name);
  }
  return names;
}

function conversation(value: string, context: OracleContext): Test {
  const names = valueNames(value, context);
  return ({ post, conversation: conversationNames, ownNames }) => {
    if (conversationNames.length > 0) return conversationNames.some((name) => names.has(name));
    const { is_reply, is_retweet } = post.Metadata;
    return !is_reply && !is_retweet && ownNames.some((name) => names.has(name));
  };
}

function referenceTest(
  value: string,
  context: OracleContext,
  namesOf: (post: AnalyzedPost) => string[],
): Test {
  const names = valueNames(value, context);
  return (post) => namesOf(post).some((name) => names.has(name));
}

function language(value: string): Test {
  const code = foldLanguage(value);
  return ({ langs }) => langs.some((lang) => lang === code || lang.startsWith(`${code}-`));
}

/** Captures the path, including the number. */
const postOnX =
  /^(?:https?:\/\/)?(?:(?:www|mobile|m)\.)?(?:x|twitter)\.com\/((?:i\/web|[a-z0-9_]{1,20})\/status(?:es)?\/[0-9]{1,19})(?![\p{L}\p{N}_-])/iu;

function linkTo(value: string): Test {
  const parts = encodeParts(parseLink(postOnX.exec(value)?.[1] ?? value).parts);
  if (parts === "") throw new Error(`not part of a URL: ${value}`);
  return ({ linkParts }) => linkParts.includes(parts);
}

/** Subdomains also match if the value has at least two labels. */
function underDomain(value: string): Test {
  const { host } = parseLink(value.replace(/^([a-z][a-z0-9+.-]*:\/\/)?\./i, "$1"));
  if (host === "") throw new Error(`not a host: ${value}`);
  const ending = host.includes(".") ? `.${host}` : undefined;
  return ({ hosts }) =>
    hosts.some((other) => other === host || (ending !== undefined && other.endsWith(ending)));
}

function atLeast(value: string, name: "like" | "retweet" | "reply" | "quote"): Test {
  const min = parseCount(value);
  return ({ post }) => (post.Metadata.public_metrics[`${name}_count`] ?? 0) >= min;
}

function since(ms: number): Test {
  return ({ post }) => post.time_ms >= ms;
}

function until(ms: number): Test {
  return ({ post }) => post.time_ms < ms;
}

function afterId(value: string): Test {
  const bound = BigInt(requireCount(value));
  return ({ id }) => id > bound;
}

function upToId(value: string): Test {
  const bound = BigInt(requireCount(value));
  return ({ id }) => id <= bound;
}

function onPlatform(value: string): Test {
  const name = value.toLowerCase();
  const platform = platformAliases[name] ?? name;
  return ({ post }) => post.Metadata.platform === platform;
}

function labelled(value: string): Test {
  const label = value.toLowerCase();
  return ({ labels }) => labels.includes(label);
}

function writtenWith(value: string): Test {
  const app = foldSource(value);
  return ({ source }) => source === app;
}

function withoutFilter(value: string): Test {
  const filter = parseFilter(value);
  return (post) => !filter(post);
}

function noEffect(value: string): undefined {
  parseFilter(value);
}

const to: Operator = (value, context) => personTest(value, context, (post) => [post.repliedTo]);
const quotedUser: Operator = (value, context) =>
  personTest(value, context, (post) => [post.quoted]);
const repostedUser: Operator = (value, context) =>
  personTest(value, context, (post) => [post.reposted]);
const inReplyTo: Operator = (value, context) =>
  referenceTest(value, context, (post) => post.repliedToNames);
const quoteOf: Operator = (value, context) =>
  referenceTest(value, context, (post) => post.quotedNames);
const repostOf: Operator = (value, context) =>
  referenceTest(value, context, (post) => post.repostedNames);
const likes: Operator = (value) => atLeast(value, "like");
const reposts: Operator = (value) => atLeast(value, "retweet");

const operators = new Map<string, Operator>(
  Object.entries({
    from: authorTest,
    to,
    quoted_user_id: quotedUser,
    quoted_user: quotedUser,
    retweets_of: repostedUser,
    retweets_of_user_id: repostedUser,
    lang: language,
    since: (value) => since(parseTime(value)),
    until: (value) => until(parseTime(value)),
    since_time: (value) => since(parseCount(value) * 1000),
    until_time: (value) => until(parseCount(value) * 1000),
    within_time: (value, context) => since(context.asOfMs - parseDuration(value)),
    since_id: afterId,
    max_id: upToId,
    min_faves: likes,
    min_likes: likes,
    min_retweets: reposts,
    min_reposts: reposts,
    min_replies: (value) => atLeast(value, "reply"),
    min_quotes: (value) => atLeast(value, "quote"),
    filter: parseFilter,
    is: parseFilter,
    has: parseFilter,
    exclude: withoutFilter,
    include: noEffect,
    conversation_id: conversation,
    in_reply_to: inReplyTo,
    in_reply_to_tweet_id: inReplyTo,
    in_reply_to_status_id: inReplyTo,
    quoted: quoteOf,
    quoted_tweet_id: quoteOf,
    retweets_of_tweet_id: repostOf,
    geocode,
    url: linkTo,
    domain: underDomain,
    platform: onPlatform,
    label: labelled,
    source: writtenWith,
  } satisfies Record<string, Operator>),
);

export function isOperator(name: string): boolean {
  return operators.has(name);
}

/** Undefined if the operator has no effect. @throws Error if the value is invalid. */
export function operatorTest(
  name: string,
  value: string,
  context: OracleContext,
): Test | undefined {
  const operator = operators.get(name);
  if (!operator || value === "") throw new Error(`${name}:${value} is invalid`);
  return operator(value, context);
}
