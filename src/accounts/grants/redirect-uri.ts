const loopbackHosts = new Set(["localhost", "127.0.0.1", "[::1]"]);

export const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" && loopbackHosts.has(hostname);

const maxLength = 2_048;

/** Null unless the URI is HTTPS, or HTTP on the user's own machine. */
export function readRedirectUri(text: string): URL | null {
  // Response parameters after a fragment would be lost.
  if (text.length > maxLength || text.includes("#") || /[\s\\\p{Cc}]/u.test(text)) return null;
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return null;
  return url.protocol === "https:" || isLoopback(url) ? url : null;
}

/** The port of a loopback address may differ (RFC 8252, section 7.3). */
export function isRegistered(registeredUris: readonly string[], requestedUri: string): boolean {
  if (registeredUris.includes(requestedUri)) return true;
  const url = readRedirectUri(requestedUri);
  if (url === null || !isLoopback(url)) return false;
  return registeredUris.some((uri) => {
    const registeredUrl = readRedirectUri(uri);
    return (
      registeredUrl !== null &&
      isLoopback(registeredUrl) &&
      withoutPort(registeredUrl) === withoutPort(url)
    );
  });
}

const withoutPort = ({ hostname, pathname, search }: URL): string =>
  `${hostname}${pathname}${search}`;

export function withParameters(
  redirectUri: string,
  parameters: Readonly<Record<string, string | null>>,
): string {
  const entries = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${new URLSearchParams(entries)}`;
}
