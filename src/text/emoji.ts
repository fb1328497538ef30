/** True where an emoji may be; false is certain. */
export const mayHoldEmoji = /[\u2190-\u2bff\ud83c-\ud83e]|[\u20e3\ufe0f]/;

/** Pictographs that are ordinary characters of text unless a variation selector asks for the picture (© ‼ ™ ℹ Ⓜ 〰 ㊗). */
const textual = "©®‼⁉™ℹⓂ〰〽㊗㊙";
const picture = `(?:[[\\p{Emoji}&&\\p{Extended_Pictographic}]--[${textual}]]|[${textual}](?=\\ufe0f)|\\p{Emoji_Modifier})`;
const tags = "(?:[\\u{e0020}-\\u{e007e}]+\\u{e007f})?";
const element = `${picture}(?:\\p{Emoji_Modifier}\\ufe0f?|[\\ufe0e\\ufe0f])?${tags}`;

/**
 * One emoji as a reader sees it: a flag (two regional indicators, or a flag with tags), a keycap, or pictures with skin
 * tones joined by ZERO WIDTH JOINER. Wider than Unicode's list of recommended sequences, so that a sequence newer than
 * this program is one token too.
 */
const emoji = new RegExp(
  `\\p{Regional_Indicator}{2}|[0-9#*]\\ufe0f?\\u20e3|${element}(?:\\u200d${element})*`,
  "gv",
);
const selectors = /[\ufe0e\ufe0f]/g;
const skinTones = /[\u{1f3fb}-\u{1f3ff}]/gu;

/** Calls back for each emoji of the text and for each stretch of text between, in order. */
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

/** The token of an emoji without its skin tones; the same token when it has none, or is nothing else. */
export function withoutSkinTone(token: string): string {
  return token.replace(skinTones, "") || token;
}

/** Variation selectors go; the sigils of keycaps become full-width, so that no token holds ASCII punctuation. */
function emojiToken(sequence: string): string {
  const bare = sequence.replace(selectors, "");
  if (bare.startsWith("#")) return `＃${bare.slice(1)}`;
  if (bare.startsWith("*")) return `＊${bare.slice(1)}`;
  return bare;
}
