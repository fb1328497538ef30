/** The first that fits counts: most browsers name those that they descend from as well. */
const browsers = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bChrom(?:e|ium)\/|\bCriOS\/|\bHeadlessChrome\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
] as const;

const systems = [
  [/\bAndroid\b/, "Android"],
  [/\biPhone\b|\biPad\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
] as const;

/** A header is as long as its sender likes. */
const longestLookedAt = 512;

/** What a `User-Agent` says in words that a person knows a device by, such as "Firefox on Linux". Only words of ours. */
export function agentWords(userAgent: string | undefined): string {
  const text = userAgent?.slice(0, longestLookedAt) ?? "";
  const browser = nameIn(browsers, text);
  const system = nameIn(systems, text);
  if (browser === null) return system === null ? "an unknown browser" : `a browser on ${system}`;
  return system === null ? browser : `${browser} on ${system}`;
}

function nameIn(known: readonly (readonly [RegExp, string])[], text: string): string | null {
  return known.find(([form]) => form.test(text))?.[1] ?? null;
}
