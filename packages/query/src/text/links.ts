import type { TextSpan } from "./span.ts";
import { internationalDomains, topLevelDomains } from "./top-level-domains.ts";

/** The limit in DNS; also bounds the work per dot. */
const maxHostLength = 253;
const maxShortLinkSlug = 40;
/** Bounds the work on nested brackets. */
const maxTailLength = 2048;

/** In a host without a scheme, and in paths. */
const latinAccents = "\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u024f\\u1e00-\\u1eff";
const cyrillic = "\\u0400-\\u04ff";
const bareHostCharacter = new RegExp(`[A-Za-z0-9_.${latinAccents}-]`);
const hostCharacter =
  /[A-Za-z0-9_.\u00c0-\u1fff\u2190-\u2fff\u3005-\u3007\u3021-\u303a\u3041-\uff00\uff10-\uffef-]/;
const label = "[a-z0-9\\u0080-\\uffff](?:[a-z0-9_\\u0080-\\uffff-]*[a-z0-9\\u0080-\\uffff])?";
const subdomains = new RegExp(`^(?:${label}\\.)*$`, "i");
const domainLabel = /^[a-z0-9\u0080-\uffff](?:[a-z0-9\u0080-\uffff-]*[a-z0-9\u0080-\uffff])?$/i;
const punycodeWithLetters = /xn--[^.]*[\u0080-\uffff]/i;
const asciiTail = /^(?:xn--[a-z0-9-]*[a-z0-9]|[a-z]{2,})/i;
const foreignTopLevelDomain = /^[A-Za-z0-9_.-]*\.([\p{L}\p{M}]{2,63})$/u;
const onlyAscii = /^[A-Za-z0-9_.-]*$/;

const scheme = /(^|[\s\S])https?$/i;
const badBeforeLink = /[A-Za-z0-9@＠$#＃]/;
const badBeforeBareHost = /[A-Za-z0-9@＠$#＃_./-]/;
const badAfterHost = /[A-Za-z0-9@＠_+-]/;

const pathCharacters = new RegExp(
  `[A-Za-z0-9!*';:=+,.$/%#\\[\\]_~@|&()\\u2013${latinAccents}${cyrillic}-]{0,${maxTailLength}}`,
  "y",
);
const pathEnd = new RegExp(`[A-Za-z0-9=_#/+&)${latinAccents}${cyrillic}-]`);
const parameterCharacters = new RegExp(
  `[?A-Za-z0-9!*'();:&=+$/%#\\[\\]_.,~|@-]{0,${maxTailLength}}`,
  "y",
);
const parametersEnd = /[A-Za-z0-9=_#/&-]/;
const port = /:[0-9]{1,5}/y;
/** Most links in X posts; `t.co.uk` is another host. */
const shortLinkHost = /^t\.co\//i;
const shortLinkSlug = /\/([A-Za-z0-9]+)/y;

/**
 * With `http(s)://`, or a bare host under a known top-level domain. Excludes final punctuation and
 * unbalanced parentheses. Takes linear time.
 */
export function findLinks(text: string): TextSpan[] {
  const links: TextSpan[] = [];
  let resumeAt = 0;
  let dot = text.indexOf(".");
  while (dot >= 0) {
    let next = dot + 1;
    if (isHostUnit(text.charCodeAt(dot - 1)) && isHostUnit(text.charCodeAt(next))) {
      const found = linkAt(text, dot, resumeAt);
      if (found.link !== null) {
        links.push(found.link);
        resumeAt = found.link.end;
      }
      next = Math.max(next, found.scannedTo);
    }
    dot = text.indexOf(".", next);
  }
  return links;
}

type LinkScan = { link: TextSpan | null; scannedTo: number };

function linkAt(text: string, dot: number, resume: number): LinkScan {
  const floor = Math.max(resume, dot - maxHostLength);
  const bareStart = scanBack(text, dot, floor, bareHostCharacter);
  const schemeStart = findSchemeStart(text, dot, bareStart, floor);
  if (schemeStart !== null) return linkWithScheme(text, schemeStart);
  if (bareStart === floor && floor > resume && bareHostCharacter.test(text.charAt(floor - 1))) {
    // No host is as long as this run.
    return { link: null, scannedTo: scanAhead(text, dot, text.length, bareHostCharacter) };
  }
  const runEnd = scanAhead(text, dot, bareStart + maxHostLength + 1, bareHostCharacter);
  const noLink = { link: null, scannedTo: runEnd };
  if (bareStart > 0 && badBeforeBareHost.test(text.charAt(bareStart - 1))) return noLink;
  // A hyphen after letters of another script does not belong to the host.
  const start = bareStart > 0 ? afterHyphens(text, bareStart) : bareStart;
  const hostEnd = findBareHostEnd(text, start, runEnd);
  if (hostEnd === null) return noLink;
  const end = findBareLinkEnd(text, hostEnd);
  return { link: { start, end }, scannedTo: end };
}

function afterHyphens(text: string, start: number): number {
  let end = start;
  if (hostCharacter.test(text.charAt(start - 1))) while (text[end] === "-") end += 1;
  return end;
}

function findSchemeStart(
  text: string,
  dot: number,
  bareStart: number,
  floor: number,
): number | null {
  if (text.startsWith("://", bareStart - 3)) return bareStart;
  if (bareStart === floor || text.charCodeAt(bareStart - 1) < 0x80) return null;
  const hostStart = scanBack(text, dot, floor, hostCharacter);
  return text.startsWith("://", hostStart - 3) ? hostStart : null;
}

function linkWithScheme(text: string, hostStart: number): LinkScan {
  const isShortLink = shortLinkHost.test(text.slice(hostStart, hostStart + 5));
  const runEnd = isShortLink
    ? hostStart + 4
    : scanAhead(text, hostStart, hostStart + maxHostLength + 1, hostCharacter);
  const noLink = { link: null, scannedTo: runEnd };
  const schemeMatch = scheme.exec(text.slice(Math.max(0, hostStart - 9), hostStart - 3));
  if (schemeMatch === null || badBeforeLink.test(schemeMatch[1] ?? "")) return noLink;
  const start = hostStart - 3 - schemeMatch[0].length + (schemeMatch[1] ?? "").length;
  const hostEnd = isShortLink ? runEnd : findHostEnd(text, hostStart, runEnd);
  if (hostEnd === null) return { link: null, scannedTo: hostStart + 1 };
  const end = isShortLink ? findShortLinkEnd(text, hostEnd) : findLinkEnd(text, hostEnd);
  if (end === null) return noLink;
  return { link: { start, end }, scannedTo: end };
}

function findHostEnd(text: string, start: number, runEnd: number): number | null {
  const run = text.slice(start, runEnd);
  const isAscii = onlyAscii.test(run);
  if (!isAscii && endsInForeignDomain(run)) return runEnd;
  for (let dot = run.lastIndexOf("."); dot > 0; dot = run.lastIndexOf(".", dot - 1)) {
    const top = topLevelDomainAt(run, dot + 1);
    if (top === null || (!isAscii && !isKnownDomain(top))) continue;
    const end = dot + 1 + top.length;
    if (!badAfterHost.test(text.charAt(start + end)) && isHost(run.slice(0, dot)))
      return start + end;
    if (isAscii && end < run.length && run[end] !== ".") return null;
  }
  return null;
}

/** `example.삼성`: after a scheme, any label in another script may be a top-level domain. */
function endsInForeignDomain(run: string): boolean {
  const top = foreignTopLevelDomain.exec(run)?.[1];
  if (top === undefined || !(top.charCodeAt(0) >= 0x250 || isKnownDomain(top))) return false;
  return isHost(run.slice(0, -top.length - 1));
}

/** The top-level domain must be known and must not start a sentence (`done.So`). */
function findBareHostEnd(text: string, start: number, runEnd: number): number | null {
  const ownRun = text.slice(start, runEnd);
  const foreignDomain = ownRun.endsWith(".") ? topLevelDomainAt(text, runEnd) : null;
  const run = foreignDomain === null ? ownRun.replace(/[.-]+$/, "") : ownRun + foreignDomain;
  let topEnd = run.length;
  for (let dot = run.lastIndexOf("."); dot > 0; dot = run.lastIndexOf(".", dot - 1)) {
    const top = run.slice(dot + 1, topEnd);
    const host = run.slice(0, topEnd);
    const isPlausiblyCased = top === top.toLowerCase() || host === host.toUpperCase();
    if (isPlausiblyCased && isKnownDomain(top) && isHost(run.slice(0, dot))) {
      const end = start + topEnd;
      if (!badAfterHost.test(text.charAt(end))) return end;
    }
    topEnd = dot;
  }
  return null;
}

/** Includes any punycode domain, because no one types `xn--` by accident. */
function isKnownDomain(top: string): boolean {
  const lower = top.toLowerCase();
  return topLevelDomains.has(lower) || lower.startsWith("xn--");
}

function topLevelDomainAt(text: string, index: number): string | null {
  const tail = text.slice(index, index + 64);
  const asciiDomain = asciiTail.exec(tail)?.[0];
  if (asciiDomain !== undefined) return asciiDomain;
  const lower = tail.toLowerCase();
  return internationalDomains.find((domain) => lower.startsWith(domain)) ?? null;
}

/**
 * `name` excludes the top-level domain. No label begins or ends with `-` or `_`, and only
 * subdomains contain `_`.
 */
function isHost(name: string): boolean {
  const dot = name.lastIndexOf(".");
  return (
    domainLabel.test(name.slice(dot + 1)) &&
    subdomains.test(name.slice(0, dot + 1)) &&
    !punycodeWithLetters.test(name)
  );
}

function findShortLinkEnd(text: string, hostEnd: number): number | null {
  shortLinkSlug.lastIndex = hostEnd;
  const slug = shortLinkSlug.exec(text);
  if (slug === null) return findLinkEnd(text, hostEnd);
  if ((slug[1] ?? "").length > maxShortLinkSlug) return null;
  const end = hostEnd + slug[0].length;
  return text[end] === "?" ? findTailEnd(text, end) : end;
}

/** Without a scheme, only a path may follow the host and port. */
function findBareLinkEnd(text: string, hostEnd: number): number {
  port.lastIndex = hostEnd;
  const afterPort = hostEnd + (port.exec(text)?.[0].length ?? 0);
  return text[afterPort] === "/" ? findTailEnd(text, afterPort) : hostEnd;
}

function findLinkEnd(text: string, hostEnd: number): number {
  port.lastIndex = hostEnd;
  const afterPort = hostEnd + (port.exec(text)?.[0].length ?? 0);
  const next = text[afterPort];
  return next === "/" || next === "?" ? findTailEnd(text, afterPort) : afterPort;
}

function findTailEnd(text: string, start: number): number {
  const end = text[start] === "/" ? findPathEnd(text, start) : start;
  return text[end] === "?" ? findParametersEnd(text, end) : end;
}

function findPathEnd(text: string, start: number): number {
  pathCharacters.lastIndex = start;
  const path = pathCharacters.exec(text)?.[0] ?? "";
  let end = findBalancedEnd(path);
  while (end > 0 && !pathEnd.test(path.charAt(end - 1))) end -= 1;
  return start + end;
}

function findParametersEnd(text: string, start: number): number {
  parameterCharacters.lastIndex = start;
  const parameters = parameterCharacters.exec(text)?.[0] ?? "";
  let end = parameters.length;
  while (end > 0 && !parametersEnd.test(parameters.charAt(end - 1))) end -= 1;
  return start + end;
}

/** Ends before the first unbalanced bracket. */
function findBalancedEnd(tail: string): number {
  const openOffsets: number[] = [];
  for (let index = 0; index < tail.length; index += 1) {
    if (tail[index] === "(") openOffsets.push(index);
    if (tail[index] === ")" && openOffsets.pop() === undefined) return index;
  }
  return openOffsets[0] ?? tail.length;
}

function scanBack(text: string, from: number, floor: number, pattern: RegExp): number {
  let index = from;
  while (index > floor && pattern.test(text.charAt(index - 1))) index -= 1;
  return index;
}

function scanAhead(text: string, from: number, ceiling: number, pattern: RegExp): number {
  let index = from;
  while (index < text.length && index < ceiling && pattern.test(text.charAt(index))) index += 1;
  return index;
}

function isHostUnit(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 48 && unit <= 57) ||
    unit >= 0xc0
  );
}
