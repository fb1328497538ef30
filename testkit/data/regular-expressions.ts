import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export type LocatedExpression = { location: string; source: string; flags: string };

/** A slash after one of these starts an expression. */
const expressionPrefix =
  /(?:[([{,;=:!&|?+\-*%<>~^]|\b(?:return|typeof|case|in|of|yield|await|throw|else))$/;

export function literalExpressions(root: string): LocatedExpression[] {
  const files = globSync("{src,packages/*/src}/**/*.ts", { cwd: root }).filter(
    (file) => !file.includes(".test"),
  );
  return files.sort().flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return expressionsIn(text).map(({ at, ...expression }) => ({
      location: `${file}:${text.slice(0, at).split("\n").length}`,
      ...expression,
    }));
  });
}

/** Expressions constructed while the modules of `src` and `packages` load. */
export async function constructedExpressions(root: string): Promise<LocatedExpression[]> {
  const expressions: LocatedExpression[] = [];
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct(target, args) {
      const expression = Reflect.construct(target, args) as RegExp;
      const caller = String(new Error("here").stack).split("\n")[2] ?? "";
      const location = /\/((?:packages\/query\/)?src\/[\w/-]+\.ts):\d+/.exec(caller)?.[1];
      if (location !== undefined) {
        expressions.push({
          location,
          source: expression.source,
          flags: expression.flags,
        });
      }
      return expression;
    },
  });
  try {
    for (const file of filesThatConstruct(root)) await import(pathToFileURL(join(root, file)).href);
  } finally {
    globalThis.RegExp = original;
  }
  return expressions;
}

function filesThatConstruct(root: string): string[] {
  return globSync("{src,packages/*/src}/**/*.ts", { cwd: root })
    .filter((file) => !file.includes(".test"))
    .filter((file) => /\bnew RegExp\(/.test(readFileSync(join(root, file), "utf8")))
    .sort();
}

type FoundExpression = { at: number; source: string; flags: string };

function expressionsIn(text: string): FoundExpression[] {
  const found: FoundExpression[] = [];
  /** Open braces in the hole of each open template. */
  const holes: number[] = [];
  let code = "";
  for (let offset = 0; offset < text.length; ) {
    const character = text[offset] ?? "";
    const nextTwo = text.slice(offset, offset + 2);
    if (nextTwo === "//") offset = endAfter(text, "\n", offset);
    else if (nextTwo === "/*") offset = endAfter(text, "*/", offset);
    else if (character === '"' || character === "'") {
      offset = afterString(text, offset + 1, character);
      code = "x";
    } else if (character === "`" || (character === "}" && holes.at(-1) === 0)) {
      if (character === "}") holes.pop();
      offset = afterTemplate(text, offset + 1);
      if (text[offset - 1] === "{") holes.push(0);
      code = text[offset - 1] === "{" ? "(" : "x";
    } else if (character === "/" && (code === "" || expressionPrefix.test(code))) {
      const end = expressionEnd(text, offset + 1);
      const flags = /^[a-z]*/.exec(text.slice(end + 1))?.[0] ?? "";
      found.push({ at: offset, source: text.slice(offset + 1, end), flags });
      offset = end + 1 + flags.length;
      code = "x";
    } else {
      const innermost = holes.length - 1;
      if (innermost >= 0 && character === "{") holes[innermost] = (holes[innermost] ?? 0) + 1;
      if (innermost >= 0 && character === "}") holes[innermost] = (holes[innermost] ?? 0) - 1;
      if (character.trim() !== "") code = `${code}${character}`.slice(-8);
      else if (/\w$/.test(code)) code = `${code} `.replace(/ +$/, "");
      offset += 1;
    }
  }
  return found;
}

function endAfter(text: string, terminator: string, from: number): number {
  const index = text.indexOf(terminator, from + 2);
  return index < 0 ? text.length : index + terminator.length;
}

function afterString(text: string, from: number, quote: string): number {
  let offset = from;
  while (offset < text.length && text[offset] !== quote) offset += text[offset] === "\\" ? 2 : 1;
  return offset + 1;
}

function afterTemplate(text: string, from: number): number {
  let offset = from;
  while (offset < text.length && text[offset] !== "`" && text.slice(offset, offset + 2) !== "${") {
    offset += text[offset] === "\\" ? 2 : 1;
  }
  return text[offset] === "`" ? offset + 1 : offset + 2;
}

function expressionEnd(text: string, from: number): number {
  let isInClass = false;
  let offset = from;
  for (
    ;
    offset < text.length && (isInClass || text[offset] !== "/");
    offset += text[offset] === "\\" ? 2 : 1
  ) {
    if (text[offset] === "[") isInClass = true;
    if (text[offset] === "]") isInClass = false;
  }
  return offset;
}
