/** False positives are possible, false negatives are not. */
export const possibleEmoji = /[\u2190-\u2bff\ud83c-\ud83e]|[\u20e3\ufe0f]/;

/** These are text unless a variation selector follows. */
const textCharacters = "©®‼⁉™ℹⓂ〰〽㊗㊙";
const picture = `(?:[[\\p{Emoji}&&\\p{Extended_Pictographic}]--[${textCharacters}]]|[${textCharacters}](?=\\ufe0f)|\\p{Emoji_Modifier})`;
const tags = "(?:[\\u{e0020}-\\u{e007e}]+\\u{e007f})?";
const element = `${picture}(?:\\p{Emoji_Modifier}\\ufe0f?|[\\ufe0e\\ufe0f])?${tags}`;

/** More permissive than Unicode's definition, so that newer emoji are also single tokens. */
const emoji = new RegExp(
  `\\p{Regional_Indicator}{2}|[0-9#*]\\ufe0f?\\u20e3|${element}(?:\\u200d${element})*`,
  "gv",
);
const selectors = /[\ufe0e\ufe0f]/g;
const skinTones = /[\u{1f3fb}-\u{1f3ff}]/gu;

export function splitEmoji(
  text: string,
  onText: (text: string) => void,
  onEmoji: (token: string) => void,
): void {
  let end = 0;
  for (const match of text.matchAll(emoji)) {
    if (match.index > end) onText(text.slice(end, match.index));
    onEmoji(emojiToken(match[0]));
    end = match.index + match[0].length;
  }
  if (end < text.length) onText(text.slice(end));
}

export function withoutSkinTone(token: string): string {
  return token.replace(skinTones, "") || token;
}

/** A keycap's sigil becomes full-width, because no token contains ASCII punctuation. */
function emojiToken(sequence: string): string {
  const token = sequence.replace(selectors, "");
  if (token.startsWith("#")) return `＃${token.slice(1)}`;
  if (token.startsWith("*")) return `＊${token.slice(1)}`;
  return token;
}
