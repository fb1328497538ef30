import { expect, test } from "vitest";
import { createRegistrationBodies } from "./registration-bodies.ts";

test("an address has eight registrations under way, and gets its room back as they end", () => {
  const bodies = createRegistrationBodies(100);
  const ends = Array.from({ length: 8 }, () => bodies.begin("one"));
  expect(() => bodies.begin("one")).toThrow("too many registrations from this address");
  bodies.begin("another");
  const [end] = ends;
  end?.();
  end?.();
  bodies.begin("one");
  expect(() => bodies.begin("one")).toThrow("too many registrations from this address");
});

test("all addresses together have so many", () => {
  const bodies = createRegistrationBodies(3);
  const ends = ["1", "2", "3"].map((group) => bodies.begin(group));
  expect(() => bodies.begin("4")).toThrow("too many nodes attest at a time");
  for (const end of ends) end();
  bodies.begin("4");
});
