export type HtmlToken =
  | { kind: "text"; text: string }
  | { kind: "open"; name: string; attributes: string }
  | { kind: "close"; name: string };

const tagStart = /[a-zA-Z]/;
const tagName = /[a-zA-Z][^\s/>]{0,40}/y;
/** Elements whose content is not text. */
const rawElements: ReadonlySet<string> = new Set(["script", "style", "template", "noscript"]);

/** Linear time. An unterminated tag or comment consumes the rest. */
export function* htmlTokens(html: string): Generator<HtmlToken> {
  let position = 0;
  while (position < html.length) {
    const start = nextMarkup(html, position);
    if (start > position) yield { kind: "text", text: html.slice(position, start) };
    if (start === html.length) return;
    const nextCharacter = html[start + 1] ?? "";
    if (nextCharacter === "!" || nextCharacter === "?") {
      position = commentEnd(html, start);
      continue;
    }
    const end = tagEnd(html, start);
    const isClosing = nextCharacter === "/";
    const name = readTagName(html, start + (isClosing ? 2 : 1));
    position = end + 1;
    if (end >= html.length) return;
    if (isClosing) {
      yield { kind: "close", name };
      continue;
    }
    const attributes = html.slice(start + 1 + name.length, end);
    yield { kind: "open", name, attributes };
    if (rawElements.has(name)) position = rawElementEnd(html, position, name);
  }
}

function nextMarkup(html: string, start: number): number {
  let position = html.indexOf("<", start);
  while (position >= 0) {
    const nextCharacter = html[position + 1] ?? "";
    if (nextCharacter === "!" || nextCharacter === "?" || tagStart.test(nextCharacter))
      return position;
    if (nextCharacter === "/" && tagStart.test(html[position + 2] ?? "")) return position;
    position = html.indexOf("<", position + 1);
  }
  return html.length;
}

function commentEnd(html: string, start: number): number {
  const isComment = html.startsWith("<!--", start);
  const end = html.indexOf(isComment ? "-->" : ">", start + 2);
  if (end < 0) return html.length;
  return end + (isComment ? 3 : 1);
}

/** Ignores a `>` in quotation marks. */
function tagEnd(html: string, start: number): number {
  let quote = "";
  for (let position = start; position < html.length; position += 1) {
    const character = html[position];
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === ">") {
      return position;
    } else if ((character === '"' || character === "'") && html[position - 1] === "=") {
      quote = character;
    }
  }
  return html.length;
}

function readTagName(html: string, position: number): string {
  tagName.lastIndex = position;
  return (tagName.exec(html)?.[0] ?? "").toLowerCase();
}

function rawElementEnd(html: string, start: number, name: string): number {
  const closingTag = new RegExp(`</${name}[\\s/>]`, "gi");
  closingTag.lastIndex = start;
  const match = closingTag.exec(html);
  return match === null ? html.length : match.index;
}
