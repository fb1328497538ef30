import { beforeEach, expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import { createManualClock, type ManualClock } from "../../lib/manual-clock.ts";
import { type StoreWatch, watchStore } from "./store-watch.ts";

const diskFullError = new EarshotError(
  "storage_full",
  "the disk containing the data folder is full",
);

let clock: ManualClock;
let error: Error | null;
let logLines: string[];
let seconds: number[];
let watch: StoreWatch<{ write(name: string, args: null): Promise<unknown> }>;

beforeEach(() => {
  clock = createManualClock();
  error = null;
  logLines = [];
  seconds = [];
  const store = {
    write: async () => {
      await clock.advance(20);
      if (error !== null) throw error;
      return "written";
    },
  };
  const recordLine = (line: string) => logLines.push(line);
  watch = watchStore(store, {
    clock,
    log: { info: recordLine, error: recordLine } as never,
    onWrite: (took) => seconds.push(took),
  });
});

const write = () => watch.store.write("beat", null).catch((thrown: unknown) => thrown);

test("a write to the store is passed on and measured", async () => {
  expect(await write()).toBe("written");
  expect(seconds).toEqual([0.02]);
  expect(watch.isFull()).toBe(false);
});

test("a full disk is logged once, even if small writes succeed in between, and its end once, after 5 s", async () => {
  error = diskFullError;
  expect(await write()).toBe(diskFullError);
  expect(watch.isFull()).toBe(true);
  error = null;
  await write();
  expect(watch.isFull()).toBe(true);
  error = diskFullError;
  await write();
  expect(logLines).toHaveLength(1);
  error = null;
  await clock.advance(5_000);
  expect(watch.isFull()).toBe(false);
  await write();
  await write();
  expect(logLines).toEqual([
    "the disk is full: writes fail, reads continue",
    "the disk has free space again",
  ]);
});

test("the wall clock is ignored, and other errors do not count as a full disk", async () => {
  error = diskFullError;
  await write();
  clock.shiftWall(-3_600_000);
  await clock.advance(5_000);
  expect(watch.isFull()).toBe(false);
  error = new EarshotError("store_unavailable", "the control store failed");
  await write();
  expect(watch.isFull()).toBe(false);
});
