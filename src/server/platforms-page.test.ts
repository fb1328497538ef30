import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { methodNames } from "../platforms/methods.ts";
import { platformDescriptions } from "../platforms/registry.ts";
import { platforms } from "../posts/post.ts";
import { platformsPage, withMethods } from "./platforms-page.ts";

const page = readFileSync(platformsPage, "utf8");
const rows = page.split("\n").filter((row) => row.startsWith("| `"));
const methodRows = (method: string) => rows.filter((row) => row.startsWith(`| \`${method}\` |`));

test("docs/platforms.md matches the platforms (npm run docs regenerates its tables)", () => {
  expect(withMethods(page)).toBe(page);
});

test("every method has a row in the platforms overview and one for each platform", () => {
  for (const method of methodNames) expect(methodRows(method)).toHaveLength(1 + platforms.length);
});

test("a method without a counterpart on a platform names the closest one, and others name their endpoint", () => {
  for (const [index, platform] of platforms.entries()) {
    for (const method of methodNames) {
      const row = methodRows(method)[index + 1];
      const support = platformDescriptions[platform].support[method];
      const expected = "endpoint" in support ? `\`${support.endpoint}\`` : support.closest;
      expect(row).toContain(expected);
      expect("closest" in support).toBe(row?.split(" | ")[1] === "");
    }
  }
});
