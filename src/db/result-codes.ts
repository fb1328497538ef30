/** sqlite.org/rescode.html */
export const sqlite = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

export function extendedResultCode(thrown: unknown): number | null {
  if (!(thrown instanceof Error && "errcode" in thrown)) return null;
  return typeof thrown.errcode === "number" ? thrown.errcode : null;
}

export function sqliteResultCode(thrown: unknown): number | null {
  const code = extendedResultCode(thrown);
  return code === null ? null : code & 0xff;
}
