const form = /^#token=([\w-]{20,128})$/;

/** The token in the part of an address after its #: empty for one that is not whole, null for none. */
export function linkTokenOf(hash: string): string | null {
  return hash.startsWith("#token=") ? (form.exec(hash)?.[1] ?? "") : null;
}

let held: string | null = null;

/**
 * Takes the token of a one-time link out of the address, where it would stay in the history, be shared and be seen. It is held
 * by the page alone, until it is used or the page is closed.
 */
export function takeLinkToken(): void {
  const { pathname, search, hash } = window.location;
  const token = linkTokenOf(hash);
  if (token === null) return;
  history.replaceState(null, "", `${pathname}${search}`);
  held = token;
}

/** The token that came with the address; empty for one that is not whole, null for none. */
export function heldLinkToken(): string | null {
  return held;
}

export function forgetLinkToken(): void {
  held = null;
}
