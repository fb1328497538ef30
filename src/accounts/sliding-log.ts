/** Exact: no window, wherever it starts, exceeds the limit. Times never decrease and may be in the future. O(log n) per check. */
export type SlidingLog = {
  used(nowMs: number): number;
  waitMs(limit: number, nowMs: number): number;
  growsInMs(limit: number, nowMs: number): number;
  /** Records a call at `atMs`, but not before the last recorded call. */
  add(atMs: number, nowMs: number): void;
  /** Removes the newest call at this time, if any. */
  takeBack(atMs: number): void;
};

const firstCapacity = 8;

export function createSlidingLog(windowMs: number): SlidingLog {
  let times = new Float64Array(firstCapacity);
  let head = 0;
  let size = 0;

  function indexTime(index: number): number {
    return times[(head + index) % times.length] ?? 0;
  }

  function computeEnd(index: number): number {
    return indexTime(index) + windowMs;
  }

  /** Index of the oldest call that still counts. */
  function firstCounted(nowMs: number): number {
    let low = 0;
    let high = size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (computeEnd(middle) <= nowMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function used(nowMs: number): number {
    return size - firstCounted(nowMs);
  }

  function waitMs(limit: number, nowMs: number): number {
    const first = firstCounted(nowMs);
    const excess = size - first - limit;
    return excess < 0 ? 0 : computeEnd(first + excess) - nowMs;
  }

  function growsInMs(limit: number, nowMs: number): number {
    const first = firstCounted(nowMs);
    const excess = Math.max(0, size - first - limit);
    return first === size ? 0 : computeEnd(first + excess) - nowMs;
  }

  function add(atMs: number, nowMs: number): void {
    if (size === times.length) makeRoom(firstCounted(nowMs));
    times[(head + size) % times.length] = size === 0 ? atMs : Math.max(atMs, indexTime(size - 1));
    size += 1;
  }

  function makeRoom(expired: number): void {
    if (expired > 0) {
      head = (head + expired) % times.length;
      size -= expired;
      return;
    }
    const grown = new Float64Array(times.length * 2);
    grown.set(times.subarray(head), 0);
    grown.set(times.subarray(0, head), times.length - head);
    times = grown;
    head = 0;
  }

  function takeBack(atMs: number): void {
    let index = size - 1;
    while (index >= 0 && indexTime(index) > atMs) index -= 1;
    if (index < 0 || indexTime(index) !== atMs) return;
    for (; index + 1 < size; index += 1) {
      times[(head + index) % times.length] = indexTime(index + 1);
    }
    size -= 1;
  }

  return { used, waitMs, growsInMs, add, takeBack };
}
