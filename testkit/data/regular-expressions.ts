import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export type WrittenExpression = { location: string; source: string; flags: string };

/** A slash after one of these starts an expression. */
const before = /(?:[([{,;=:!&|?+\-*%<>~^]|\b(?:return|typeof|case|in|of|yield|await|throw|else))$/;

export function writtenExpressions(root: string): WrittenExpression[] {
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
export async function constructedExpressions(root: string): Promise<WrittenExpression[]> {
  const expressions: WrittenExpression[] = [];
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct(target, args) {
      const expression = Reflect.construct(target, args) as RegExp;
      const caller = String(new Error("here").stack).split("\n")[2] ?? "";
      const location = /\/((?:packages\/query\/)?src\/[\w/-]+\.ts):\d+/.exec(caller)?.[1];
      if (location !== undefined) {
        expressions.push({
          location: location,
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

type Found = { at: number; source: string; flags: string };

function expressionsIn(text: string): Found[] {
  const found: Found[] = [];
  /** Open braces in the hole of each open template. */
  const holes: number[] = [];
  let code = "";
  for (let at = 0; at < text.length; ) {
    const character = text[at] ?? "";
    const two = text.slice(at, at + 2);
    if (two === "//") at = endOf(text, "\n", at);
    else if (two === "/*") at = endOf(text, "*/", at);
    else if (character === '"' || character === "'") {
      at = afterString(text, at + 1, character);
      code = "x";
    } else if (character === "`" || (character === "}" && holes.at(-1) === 0)) {
      if (character === "}") holes.pop();
      at = afterTemplate(text, at + 1);
      if (text[at - 1] === "{") holes.push(0);
      code = text[at - 1] === "{" ? "(" : "x";
    } else if (character === "/" && (code === "" || before.test(code))) {
      const end = endOfExpression(text, at + 1);
      const flags = /^[a-z]*/.exec(text.slice(end + 1))?.[0] ?? "";
      found.push({ at, source: text.slice(at + 1, end), flags });
      at = end + 1 + flags.length;
      code = "x";
    } else {
      const open = holes.length - 1;
      if (open >= 0 && character === "{") holes[open] = (holes[open] ?? 0) + 1;
      if (open >= 0 && character === "}") holes[open] = (holes[open] ?? 0) - 1;
      if (character.trim() !== "") code = `${code}${character}`.slice(-8);
      else if (/\w$/.test(code)) code = `${code} `.replace(/ +$/, "");
      at += 1;
    }
  }
  return found;
}

function endOf(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from + 2);
  return at < 0 ? text.length : at + what.length;
}

function afterString(text: string, from: number, quote: string): number {
  let at = from;
  while (at < text.length && text[at] !== quote) at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function afterTemplate(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== "`" && text.slice(at, at + 2) !== "${") {
    at += text[at] === "\\" ? 2 : 1;
  }
  return text[at] === "`" ? at + 1 : at + 2;
}

function endOfExpression(text: string, from: number): number {
  let isInClass = false;
  let at = from;
  for (; at < text.length && (isInClass || text[at] !== "/"); at += text[at] === "\\" ? 2 : 1) {
    if (text[at] === "[") isInClass = true;
    if (text[at] === "]") isInClass = false;
  }
  return at;
}
