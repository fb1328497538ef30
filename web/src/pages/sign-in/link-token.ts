const tokenPattern = /^#token=([\w-]{20,128})$/;

/** The token in a URL fragment: empty if malformed, null if absent. */
export function parseLinkToken(hash: string): string | null {
  return hash.startsWith("#token=") ? (tokenPattern.exec(hash)?.[1] ?? "") : null;
}

let storedToken: string | null = null;

/** Moves the token from the address, where it would stay in the history, into memory. */
export function takeLinkToken(): void {
  const { pathname, search, hash } = window.location;
  const token = parseLinkToken(hash);
  if (token === null) return;
  history.replaceState(null, "", `${pathname}${search}`);
  storedToken = token;
}

export function storedLinkToken(): string | null {
  return storedToken;
}

export function forgetLinkToken(): void {
  storedToken = null;
}
