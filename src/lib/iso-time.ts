const dayMs = 86_400_000;
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));

let lastDay = Number.NaN;
let lastDayText = "";

export function isoText(ms: number): string {
  const day = Math.floor(ms / dayMs);
  if (day !== lastDay) {
    lastDayText = new Date(day * dayMs).toISOString().slice(0, -13);
    lastDay = day;
  }
  const msOfDay = ms - day * dayMs;
  const second = Math.floor(msOfDay / 1_000);
  const hour = twoDigits[Math.floor(second / 3_600)];
  const minute = twoDigits[Math.floor(second / 60) % 60];
  const millisecond = msOfDay % 1_000;
  const fraction = millisecond === 0 ? "" : `.${String(millisecond).padStart(3, "0")}`;
  return `${lastDayText}${hour}:${minute}:${twoDigits[second % 60]}${fraction}Z`;
}

export const isoTime = (ms: number): string => new Date(ms).toISOString();
