const tidForm = /^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/;
const tidDigits = "234567abcdefghijklmnopqrstuvwxyz";

export const isTid = (text: string): boolean => tidForm.test(text);

/** Unix milliseconds; null for other keys. */
export function tidMs(key: string): number | null {
  if (!isTid(key)) return null;
  // 13 digits of 5 bits; the last 10 bits are the clock id.
  let microseconds = 0;
  for (const digit of key.slice(0, 11)) microseconds = microseconds * 32 + tidDigits.indexOf(digit);
  return Math.floor(microseconds / 1000);
}
