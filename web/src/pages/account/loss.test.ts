import { expect, it } from "vitest";
import { deletionText } from "./loss.ts";

it("the confirmation states how many keys will stop working and how many running jobs will end", () => {
  expect(deletionText(4, 3)).toBe("Your 4 keys will stop working and 3 running jobs will end.");
  expect(deletionText(1, 1)).toBe("Your key will stop working and a running job will end.");
  expect(deletionText(2, 0)).toBe("Your 2 keys will stop working.");
  expect(deletionText(0, 1)).toBe("A running job will end.");
  expect(deletionText(0, 0)).toBe("");
});
