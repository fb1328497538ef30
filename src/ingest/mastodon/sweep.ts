export type Sweep = {
  startedMs: number;
  below: bigint | null;
  isDone: boolean;
};

export const newSweep = (startedMs: number): Sweep => ({
  startedMs,
  below: null,
  isDone: false,
});

export const writeSweep = ({ below, ...rest }: Sweep): string =>
  JSON.stringify({ ...rest, below: below === null ? null : String(below) });

export function readSweep(text: string | null): Sweep | null {
  const { startedMs, below, isDone } = readFields(text);
  const isId = typeof below === "string" && /^\d{1,19}$/.test(below);
  if (typeof startedMs !== "number" || typeof isDone !== "boolean") return null;
  return { startedMs, below: isId ? BigInt(below) : null, isDone };
}

function readFields(text: string | null): Partial<Record<keyof Sweep, unknown>> {
  try {
    return JSON.parse(text ?? "{}") ?? {};
  } catch {
    return {};
  }
}
