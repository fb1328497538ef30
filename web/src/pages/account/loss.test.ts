import { expect, it } from "vitest";
import { deletionText } from "./loss.ts";

it("the confirmation states how many keys stop working and how many running jobs end", () => {
  expect(deletionText(4, 3)).toBe("Your 4 keys stop working and 3 running jobs end.");
  expect(deletionText(1, 1)).toBe("Your key stops working and a running job ends.");
  expect(deletionText(2, 0)).toBe("Your 2 keys stop working.");
  expect(deletionText(0, 1)).toBe("A running job ends.");
  expect(deletionText(0, 0)).toBe("");
});
