/** The user's id (which saves a lookup), a dot and X's token. */
export function readUserCursor(cursor: string | null): { id: string; token: string } | null {
  const [, id, token] = /^(\d{1,19})\.(.+)$/s.exec(cursor ?? "") ?? [];
  return id === undefined || token === undefined ? null : { id, token };
}
