import type { TimeStep } from "./brush.tsx";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const roundLengths = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * hourMs),
  ...[1, 2, 7, 14, 28, 91, 364].map((days) => days * dayMs),
];

/** The shortest round length that divides the window into at most `max` steps. */
export function roundStepMs(windowMs: number, max: number): number {
  return roundLengths.find((step) => windowMs / step <= max) ?? 364 * dayMs;
}

/** Round steps, oldest first. */
export function roundSteps({ fromMs, toMs }: TimeStep, max: number): TimeStep[] {
  const stepMs = roundStepMs(toMs - fromMs, max);
  const steps: TimeStep[] = [];
  for (let startMs = fromMs; startMs < toMs; ) {
    const endMs = Math.min(toMs, (Math.floor(startMs / stepMs) + 1) * stepMs);
    steps.push({ fromMs: startMs, toMs: endMs });
    startMs = endMs;
  }
  return steps;
}
