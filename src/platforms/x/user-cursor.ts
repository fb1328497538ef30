/** Account number (saves a lookup), dot, X's token. */
export function readUserCursor(cursor: string | null): { id: string; token: string } | null {
  const [, id, token] = /^(\d{1,19})\.(.+)$/s.exec(cursor ?? "") ?? [];
  return id === undefined || token === undefined ? null : { id, token };
}
