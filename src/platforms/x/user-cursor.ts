/**
 * Reads where a list of an account goes on: the account's number, so that its handle is not looked up again, and X's own token,
 * separated by a dot. Null on the first page.
 */
export function readUserCursor(cursor: string | null): { id: string; token: string } | null {
  const [, id, token] = /^(\d{1,19})\.(.+)$/s.exec(cursor ?? "") ?? [];
  return id === undefined || token === undefined ? null : { id, token };
}
