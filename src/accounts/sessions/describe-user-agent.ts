/** The first match wins, because derived browsers also name their base. */
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

const maxExaminedLength = 512;

/** Returns words such as "Firefox on Linux", never text from the header. */
export function describeUserAgent(userAgent: string | undefined): string {
  const text = userAgent?.slice(0, maxExaminedLength) ?? "";
  const browser = nameIn(browsers, text);
  const system = nameIn(systems, text);
  if (browser === null) return system === null ? "an unknown browser" : `a browser on ${system}`;
  return system === null ? browser : `${browser} on ${system}`;
}

function nameIn(patterns: readonly (readonly [RegExp, string])[], text: string): string | null {
  return patterns.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}
