import { emoticonAt } from "./emoticons.ts";
import { isOperator } from "./operators.ts";
import { type Leaf, textTerms } from "./terms.ts";

export type Query =
  | { kind: "and"; children: Query[] }
  | { kind: "or"; children: Query[] }
  | { kind: "not"; child: Query }
  | Leaf;

const plainForms: Record<string, string> = {
  "＃": "#",
  "＠": "@",
  "：": ":",
  "（": "(",
  "）": ")",
  "－": "-",
  "？": "?",
  "\u3000": " ",
};

const closers: Record<string, string> = { '"': '"', "“": "”“", "„": "”“", "«": "»", "「": "」" };
const anyQuote = '"“”„«»「」';

/** @throws Error if the query is invalid. */
export function parse(text: string): Query | undefined {
  const shared = new Set<number>();
  for (;;) {
    const result = readQuery(text, shared);
    if (!("sharedAt" in result)) return result.query;
    shared.add(result.sharedAt);
  }
}

/**
 * Parentheses at `shared` both close a group and end an emoticon. If a group is unclosed, returns the emoticon that
 * must share.
 */
function readQuery(
  text: string,
  shared: ReadonlySet<number>,
): { query: Query | undefined } | { sharedAt: number } {
  let index = 0;
  let sharedAt: number | undefined;
  const faces: (number | undefined)[] = [];

  const fail = (message: string): never => {
    throw new Error(`${message} at ${index} of ${text}`);
  };
  const peek = (offset = 0): string => {
    const character = text[index + offset] ?? "";
    return plainForms[character] ?? character;
  };
  const isSpace = (character: string): boolean => /^\s$/.test(character);
  const endsTerm = (character: string): boolean =>
    character === "" || isSpace(character) || character === "(" || character === ")";
  const skipSpace = (): void => {
    while (isSpace(peek())) index += 1;
  };
  const atKeyword = (keyword: string): boolean =>
    text.startsWith(keyword, index) && endsTerm(peek(keyword.length));

  function conjunction(): Query | undefined {
    const children: (Query | undefined)[] = [];
    for (;;) {
      skipSpace();
      if (peek() === "" || peek() === ")") break;
      if (atKeyword("AND")) {
        index += 3;
        continue;
      }
      children.push(alternatives());
    }
    return join("and", children);
  }

  function alternatives(): Query | undefined {
    const children = [negation()];
    for (;;) {
      skipSpace();
      if (!atKeyword("OR")) return join("or", children);
      index += 2;
      skipSpace();
      children.push(negation());
    }
  }

  function negation(): Query | undefined {
    let negative = false;
    for (;;) {
      skipSpace();
      if (atKeyword("NOT")) {
        index += 3;
      } else if (peek() === "-") {
        index += 1;
        if (endsTerm(peek()) && peek() !== "(") return undefined;
      } else {
        break;
      }
      negative = !negative;
    }
    const operand = join("and", primary());
    return negative && operand ? { kind: "not", child: operand } : operand;
  }

  function primary(): (Query | undefined)[] {
    if (peek() === "") fail("a term is missing");
    if (peek() === "(") {
      index += 1;
      faces.push(undefined);
      const group = conjunction();
      const face = faces.pop();
      if (peek() !== ")" && face !== undefined && !shared.has(face)) sharedAt = face;
      if (peek() !== ")") fail("a group is not closed");
      index += 1;
      if (face !== undefined && faces.length > 0) faces[faces.length - 1] = face;
      return [group];
    }
    if (text[index] && closers[text[index] ?? ""]) return [join("and", textTerms(phrase(), true))];
    return term();
  }

  function phrase(): string {
    const end = closers[text[index] ?? ""] ?? "";
    let value = "";
    index += 1;
    for (;;) {
      const character = text[index];
      if (character === undefined) return fail("a quotation is not closed");
      const next = text[index + 1] ?? "";
      if (character === "\\" && (next === "\\" || (next && anyQuote.includes(next)))) {
        value += next;
        index += 2;
        continue;
      }
      index += 1;
      if (end.includes(character)) return value;
      value += character;
    }
  }

  /** Reads up to a space, quote, or parenthesis of a group. */
  function run(): string {
    let value = "";
    let depth = 0;
    for (;;) {
      const character = peek();
      if (character === "" || isSpace(character)) return value;
      if (text[index] && closers[text[index] ?? ""]) return value;
      if (character === "(") depth += 1;
      if (character === ")") depth -= 1;
      if (depth < 0) return value;
      value += text[index];
      index += 1;
    }
  }

  function word(): string {
    let value = "";
    while (!endsTerm(peek()) && !closers[text[index] ?? ""]) {
      value += peek();
      index += 1;
    }
    return value;
  }

  function term(): (Query | undefined)[] {
    const remaining = [...text.slice(index)].map((one) => plainForms[one] ?? one).join("");
    if (/^https?:\/\//i.test(remaining)) return [{ kind: "operator", name: "url", value: run() }];
    const name = /^([a-z_]+):(?=\S)/i.exec(remaining)?.[1];
    if (name && isOperator(name.toLowerCase())) {
      index += name.length + 1;
      const value = closers[text[index] ?? ""] ? phrase() : run();
      return [{ kind: "operator", name: name.toLowerCase(), value }];
    }
    const face = emoticonAt(remaining, faces.length);
    if (face) {
      index += face.written.length;
      if (peek(-1) === ")" && faces.length > 0) faces[faces.length - 1] = index - 1;
      if (shared.has(index - 1)) index -= 1;
      while (/[.,!?…'‘’]/.test(peek())) index += 1;
      return [{ kind: "emoticon", name: face.name }];
    }
    if (remaining.startsWith("?") && endsTerm(peek(1))) {
      index += 1;
      return [{ kind: "question" }];
    }
    if (/^[^\s:]+:/.test(remaining) && closers[text[index + remaining.indexOf(":") + 1] ?? ""]) {
      const prefix = word();
      return [join("and", textTerms(`${prefix} ${phrase()}`, false))];
    }
    if (remaining.startsWith("+")) index += 1;
    const start = index;
    const value = word();
    if (index === start && !remaining.startsWith("+")) fail("a term is empty");
    return textTerms(value, false);
  }

  try {
    const query = conjunction();
    if (index < text.length) fail("unmatched closing parenthesis");
    return { query };
  } catch (error) {
    if (sharedAt === undefined) throw error;
    return { sharedAt };
  }
}

function join(kind: "and" | "or", children: readonly (Query | undefined)[]): Query | undefined {
  const definedChildren = children.filter((child) => child !== undefined);
  return definedChildren.length > 1 ? { kind, children: definedChildren } : definedChildren[0];
}
