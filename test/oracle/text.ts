/**
 * For substring search: a word is `[word]`, a character of a script without spaces `{x}`, the end of such a run `|`,
 * and a newline separates non-adjacent words.
 */
export type Token =
  | { kind: "word"; text: string }
  | { kind: "run"; characters: string[] }
  | { kind: "emoji"; text: string };

const references: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

const foldings: Record<string, string> = {
  ß: "ss",
  ς: "σ",
  ı: "i",
  ё: "е",
  أ: "ا",
  إ: "ا",
  آ: "ا",
  ٱ: "ا",
  ى: "ي",
  ة: "ه",
};

const ascii = /^[\0-\x7f]*$/;
const asciiWords = /[a-z0-9_]+/g;
const words = /(?![\u02b9-\u02bf])[\p{L}\p{N}_](?:(?![\u02b9-\u02bf])[\p{L}\p{M}\p{N}_])*/gu;
const mark = /^\p{M}$/u;
const accentableLetter = /^[\p{Script=Latin}\p{Script=Greek}0-9_]$/u;
const zeroWidthSpace = "\u200b";
const invisible = /(?!\u200b)\p{Default_Ignorable_Code_Point}/gu;
const vowelSign = /^[\u064b-\u0652\u0656-\u065f\u0670\u0640]$|^(?=\p{M})\p{Script=Hebrew}$/u;
const unspacedScript =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Hangul}]/u;

const withinRun = new RegExp(
  `(?<=(?=[\\p{L}\\p{N}])${unspacedScript.source}\\p{M}*)${zeroWidthSpace}+(?=(?=[\\p{L}\\p{N}])${unspacedScript.source})`,
  "gu",
);

const textSymbols = "©®‼⁉™ℹⓂ〰〽㊗㊙";
const emojiElement = String.raw`(?:\p{Emoji_Modifier_Base}\uFE0F?\p{EMod}|[${textSymbols}]\uFE0F|(?![0-9#*\p{RI}${textSymbols}])\p{Emoji}[\uFE0E\uFE0F]?(?:[\u{E0020}-\u{E007E}]+\u{E007F})?)`;
const emoji = new RegExp(
  String.raw`\p{RI}\p{RI}?|[0-9#*]\uFE0F?\u20E3|${emojiElement}(?:\u200D${emojiElement})*`,
  "gu",
);
const variationSelectors = /[\uFE0E\uFE0F]/g;
const skinTones = /(?<=.)\p{EMod}/gsu;

/** Decodes each reference once. */
export function decodeReferences(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (found) => references[found] ?? found);
}

/** Applies step 3 of the analysis, except to emoji; zero-width spaces stay. */
function fold(text: string): string {
  let result = "";
  let afterAccented = false;
  for (const character of text.normalize("NFKC").toLowerCase().replace(invisible, "")) {
    if (vowelSign.test(character)) continue;
    if (mark.test(character)) {
      if (!afterAccented) result += character;
      continue;
    }
    afterAccented = accentableLetter.test(character);
    const base = afterAccented ? ([...character.normalize("NFD")][0] ?? "") : character;
    result += foldings[base] ?? base;
  }
  return result;
}

export function foldName(name: string): string {
  return fold(name).replaceAll(zeroWidthSpace, "");
}

export function foldHandle(handle: string): string {
  return handle.normalize("NFKC").toLowerCase();
}

function wordTokens(run: string, tokens: Token[]): void {
  let openToken: Token | undefined;
  for (const character of run) {
    const isRun = unspacedScript.test(character);
    if (openToken && mark.test(character)) {
      if (openToken.kind === "run")
        openToken.characters.push((openToken.characters.pop() ?? "") + character);
      else openToken.text += character;
      continue;
    }
    if (isRun && openToken?.kind === "run") {
      openToken.characters.push(character);
      continue;
    }
    if (!isRun && openToken?.kind === "word") {
      openToken.text += character;
      continue;
    }
    openToken = isRun
      ? { kind: "run", characters: [character] }
      : { kind: "word", text: character };
    tokens.push(openToken);
  }
}

function plainTokens(text: string, tokens: Token[]): void {
  const foldedText = fold(text).replace(withinRun, "");
  for (const [word] of foldedText.matchAll(words)) wordTokens(word, tokens);
}

/** Applies steps 3 to 6 of the analysis. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  if (ascii.test(text)) {
    for (const [word] of text.toLowerCase().matchAll(asciiWords)) {
      tokens.push({ kind: "word", text: word });
    }
    return tokens;
  }
  let end = 0;
  for (const found of text.matchAll(emoji)) {
    plainTokens(text.slice(end, found.index), tokens);
    tokens.push({ kind: "emoji", text: found[0].replace(variationSelectors, "") });
    end = found.index + found[0].length;
  }
  plainTokens(text.slice(end), tokens);
  return tokens;
}

export function withoutSkinTone(text: string): string {
  return text.replace(skinTones, "");
}

export function encode(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      token.kind === "run"
        ? `${token.characters.map((character) => `{${character}}`).join("")}|`
        : `[${token.text}]`,
    )
    .join("");
}

export function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
