/** Parameters of Punycode (RFC 3492, section 5). */
const base = 36;
const lowestThreshold = 1;
const highestThreshold = 26;
const skew = 38;
const damp = 700;
const initialBias = 72;
const initialCode = 0x80;
const highestCode = 0x10ffff;

const encodedPrefix = "xn--";
/** A URL's hostname setter ignores invalid names, so this one remains. */
const placeholderHost = "x";

/** "Domain to Unicode" of the URL standard; null if invalid. */
export function unicodeHost(name: string): string | null {
  const host = asciiHost(name);
  if (host === placeholderHost && name.toLowerCase() !== placeholderHost) return null;
  return host.split(".").map(unicodeLabel).join(".");
}

function asciiHost(name: string): string {
  const url = new URL(`ws://${placeholderHost}`);
  url.hostname = name;
  return url.hostname;
}

/** Decodes only if the result encodes to the same label. */
function unicodeLabel(label: string): string {
  if (!label.startsWith(encodedPrefix)) return label;
  const decoded = decodePunycode(label.slice(encodedPrefix.length));
  return decoded !== null && asciiHost(decoded) === label ? decoded : label;
}

function decodePunycode(text: string): string | null {
  const delimiter = text.lastIndexOf("-");
  const output = Array.from(text.slice(0, Math.max(delimiter, 0)));
  let code = initialCode;
  let bias = initialBias;
  let position = 0;
  let next = delimiter + 1;
  while (next < text.length) {
    const start = position;
    let weight = 1;
    for (let k = base; ; k += base) {
      const digit = getDigit(text.charCodeAt(next++));
      if (digit === null) return null;
      position += digit * weight;
      const threshold = Math.min(Math.max(k - bias, lowestThreshold), highestThreshold);
      if (digit < threshold) break;
      weight *= base - threshold;
    }
    const length = output.length + 1;
    bias = adaptBias(position - start, length, start === 0);
    code += Math.floor(position / length);
    if (code > highestCode) return null;
    position %= length;
    output.splice(position, 0, String.fromCodePoint(code));
    position += 1;
  }
  return output.join("");
}

function getDigit(unit: number): number | null {
  if (unit >= 0x61 && unit <= 0x7a) return unit - 0x61;
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30 + 26;
  return null;
}

function adaptBias(distance: number, length: number, isFirst: boolean): number {
  let delta = Math.floor(distance / (isFirst ? damp : 2));
  delta += Math.floor(delta / length);
  let k = 0;
  while (delta > ((base - lowestThreshold) * highestThreshold) >> 1) {
    delta = Math.floor(delta / (base - lowestThreshold));
    k += base;
  }
  return k + Math.floor(((base - lowestThreshold + 1) * delta) / (delta + skew));
}
