/** The form of the AT Protocol's time-sorted identifiers: https://atproto.com/specs/tid. */
const tidForm = /^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/;
const tidDigits = "234567abcdefghijklmnopqrstuvwxyz";

export const isTid = (text: string): boolean => tidForm.test(text);

/** Unix milliseconds that a record key made as a TID tells (its upper 53 bits are microseconds); null for other keys. */
export function tidMs(key: string): number | null {
  if (!isTid(key)) return null;
  // 13 digits of 5 bits, of which the last two and the lower part of the one before number the clock.
  let microseconds = 0;
  for (const digit of key.slice(0, 11)) microseconds = microseconds * 32 + tidDigits.indexOf(digit);
  return Math.floor(microseconds / 1000);
}
