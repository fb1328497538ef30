import { decodeCharacters } from "./html-entities.ts";
import { type HtmlToken, htmlTokens } from "./html-tokens.ts";
import { createWriter } from "./text-writer.ts";

export type HtmlText = { text: string; links: readonly HtmlLink[] };

/** `isReference`: the link is a mention or hashtag. */
type HtmlLink = { url: string; isReference: boolean };

/** In UTF-16 code units, far above what servers allow. */
const maxHtmlLength = 100_000;
const maxTextLength = 20_000;
const maxUrlLength = 8_192;
const maxLinks = 100;

const breaksAround: Readonly<Record<string, number>> = {
  p: 2,
  blockquote: 2,
  pre: 2,
  ul: 2,
  ol: 2,
  h1: 2,
  h2: 2,
  h3: 2,
  h4: 2,
  h5: 2,
  h6: 2,
  hr: 2,
  table: 2,
  div: 1,
  li: 1,
  tr: 1,
};
/** Contain parentheses for browsers without ruby support. */
const omittedElements: ReadonlySet<string> = new Set(["rp"]);

/**
 * A link that shows its own address becomes the full address. Drops scripts, styles and elements of
 * class `omittedClass`. Takes linear time.
 */
export function htmlToText(html: string, omittedClass: string | null = null): HtmlText {
  const writer = createWriter();
  const links: HtmlLink[] = [];
  let anchor: Anchor | null = null;
  let preDepth = 0;
  let skippedElement: { name: string; depth: number } | null = null;
  for (const token of htmlTokens(html.slice(0, maxHtmlLength))) {
    if (writer.length() > maxTextLength) break;
    if (skippedElement !== null) {
      skippedElement = nextSkippedElement(skippedElement, token);
      continue;
    }
    if (token.kind === "text") {
      writer.write(decodeCharacters(token.text), preDepth > 0);
      continue;
    }
    if (token.kind === "open" && isOmitted(token, omittedClass)) {
      skippedElement = { name: token.name, depth: 1 };
      continue;
    }
    if (token.name === "pre") preDepth = Math.max(0, preDepth + (isOpen(token) ? 1 : -1));
    if (token.name === "a") {
      if (anchor !== null) endAnchor(anchor);
      anchor = isOpen(token) ? { ...readAnchor(token.attributes), start: writer.mark() } : null;
      continue;
    }
    if (token.name === "br" && isOpen(token)) writer.breakLine();
    writer.separate(breaksAround[token.name] ?? 0);
  }
  if (anchor !== null) endAnchor(anchor);
  return { text: writer.text().slice(0, maxTextLength).trim().toWellFormed(), links };

  function endAnchor({ url, isReference, start }: Anchor): void {
    if (url === null) return;
    if (links.length < maxLinks) links.push({ url, isReference });
    if (!isReference && showsAddress(writer.textSince(start), url)) writer.replaceSince(start, url);
  }
}

const isOpen = (token: HtmlToken): token is HtmlToken & { kind: "open" } => token.kind === "open";

type Anchor = { url: string | null; isReference: boolean; start: number };

function readAnchor(attributes: string): Omit<Anchor, "start"> {
  const href = readAttribute(attributes, "href");
  const address = href.length <= maxUrlLength && /^https?:\/\//i.test(href) ? href : null;
  const classes = readAttribute(attributes, "class").toLowerCase().split(/\s+/);
  return {
    url: address !== null && URL.canParse(address) ? address : null,
    isReference: classes.includes("mention") || classes.includes("hashtag"),
  };
}

function isOmitted(token: HtmlToken & { kind: "open" }, omittedClass: string | null): boolean {
  if (omittedElements.has(token.name)) return true;
  if (omittedClass === null || !token.attributes.includes(omittedClass)) return false;
  return readAttribute(token.attributes, "class").split(/\s+/).includes(omittedClass);
}

function nextSkippedElement(
  { name, depth }: { name: string; depth: number },
  token: HtmlToken,
): { name: string; depth: number } | null {
  if (token.kind === "text" || token.name !== name) return { name, depth };
  const newDepth = depth + (token.kind === "open" ? 1 : -1);
  return newDepth === 0 ? null : { name, depth: newDepth };
}

/** The shown address may be truncated with an ellipsis, or lack `https://www.`. */
function showsAddress(shownText: string, url: string): boolean {
  const text = withoutScheme(shownText.trim());
  if (text === "") return true;
  const forms = [withoutScheme(url), withoutScheme(decodedAddress(url))];
  if (forms.includes(text) || forms.includes(`${text}/`)) return true;
  const prefix = text.replace(/(?:…|\.\.\.)$/u, "");
  return prefix !== text && prefix.length > 3 && forms.some((form) => form.startsWith(prefix));
}

const withoutScheme = (address: string): string =>
  address.replace(/^https?:\/\//i, "").replace(/^www\./i, "");

function decodedAddress(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}

const maxAttributesLength = 20_000;

function readAttribute(attributes: string, name: string): string {
  const pattern =
    /(?<![^\s=/"'>])([^\s=/"'>]{1,60})\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;
  for (const match of attributes.slice(0, maxAttributesLength).matchAll(pattern)) {
    if (match[1]?.toLowerCase() !== name) continue;
    return decodeCharacters(match[2] ?? match[3] ?? match[4] ?? "").toWellFormed();
  }
  return "";
}
