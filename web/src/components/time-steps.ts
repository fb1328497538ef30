import type { TimeStep } from "./brush.tsx";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const roundLengths = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * hourMs),
  ...[1, 2, 7, 14, 28, 91, 364].map((days) => days * dayMs),
];

/** The shortest round length of which at most `most` fill the window. */
export function roundStepMs(windowMs: number, most: number): number {
  return roundLengths.find((step) => windowMs / step <= most) ?? 364 * dayMs;
}

/** Round steps that cut the window into about `most` parts, oldest first. */
export function roundSteps({ fromMs, toMs }: TimeStep, most: number): TimeStep[] {
  const stepMs = roundStepMs(toMs - fromMs, most);
  const steps: TimeStep[] = [];
  for (let startMs = fromMs; startMs < toMs; ) {
    const endMs = Math.min(toMs, (Math.floor(startMs / stepMs) + 1) * stepMs);
    steps.push({ fromMs: startMs, toMs: endMs });
    startMs = endMs;
  }
  return steps;
}
