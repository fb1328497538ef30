import { expect, test } from "vitest";
import { configFrom } from "../config.ts";
import { requireNodeSettings } from "./require-node-settings.ts";

const gateway = { EARSHOT_NODE_GATEWAY: "https://earshot.example" };
const EARSHOT_NODE_ENROLMENT_TOKEN = "A".repeat(43);
const gatewayKey = "LHPvptV7A0yEKkQjfF4VwcScUddaKwsBAlAfyBd1Kc8";

test.each([
  { ...gateway, EARSHOT_NODE_EVIDENCE: "none" },
  { EARSHOT_NODE_GATEWAY: "https://earshot.example/", EARSHOT_NODE_EVIDENCE: "none" },
  { ...gateway, EARSHOT_NODE_GATEWAY_KEY: gatewayKey },
  { ...gateway, EARSHOT_NODE_EVIDENCE: "simulated" },
])("a node can run with %j", (environment) => {
  expect(
    requireNodeSettings(configFrom({ ...environment, EARSHOT_NODE_ENROLMENT_TOKEN })).node.gateway,
  ).toBe("https://earshot.example");
});

test.each([
  [{}, "--gateway URL"],
  [gateway, "earshot nodes key"],
  [{ ...gateway, EARSHOT_NODE_GATEWAY_KEY: "short" }, "earshot nodes key"],
  [{ ...gateway, EARSHOT_NODE_EVIDENCE: "none" }, "earshot nodes enroll"],
  [
    { ...gateway, EARSHOT_NODE_EVIDENCE: "none", EARSHOT_NODE_ENROLMENT_TOKEN: "short" },
    "earshot nodes enroll",
  ],
  [
    {
      ...gateway,
      EARSHOT_NODE_EVIDENCE: "none",
      EARSHOT_NODE_CONCURRENCY: "0",
      EARSHOT_NODE_FETCH_CONCURRENCY: "0",
    },
    "default",
  ],
])("a node refuses to start with %j, with a hint", (environment, hint) => {
  expect(() => requireNodeSettings(configFrom(environment))).toThrow(
    expect.objectContaining({ code: "invalid_setting", hint: expect.stringContaining(hint) }),
  );
});
