import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stripControls } from "../../lib/controls.ts";
import { displayWidth, wrap } from "./text-layout.ts";

describe("text on a terminal", () => {
  test("East Asian letters and emoji take two columns", () => {
    expect(displayWidth("abc")).toBe(3);
    expect(displayWidth("東京")).toBe(4);
    expect(displayWidth("한글")).toBe(4);
    expect(displayWidth("👍🏽")).toBe(2);
    expect(displayWidth("café".normalize("NFD"))).toBe(4);
  });

  test("text on a terminal cannot control it", () => {
    expect(stripControls("a\u001b[31mb\u0007\u009b2Jc\r\nd\te")).toBe("a[31mb2Jc\nd e");
    expect(stripControls("safe\u202egnp.exe")).toBe("safegnp.exe");
  });

  test("text breaks at spaces if there are any, or else anywhere", () => {
    expect(wrap("one two three", 8)).toEqual(["one two", "three"]);
    expect(wrap("東京タワー", 4)).toEqual(["東京", "タワ", "ー"]);
    expect(wrap("one\ntwo", 80)).toEqual(["one", "two"]);
  });

  test("no line of text is wider than the terminal, and no character is lost", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 2, max: 40 }),
        (text, columns) => {
          const lines = wrap(text, columns);
          for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
          expect(lines.join("").replaceAll(/[ \n]/g, "")).toBe(text.replaceAll(/[ \n]/g, ""));
        },
      ),
    );
  });
});
