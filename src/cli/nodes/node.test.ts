import { expect, test } from "vitest";
import { runCommand } from "../../../testkit/service/run-command.ts";

const gateway = ["--gateway", "http://127.0.0.1:9"];

test.each([
  [[], {}, "--gateway URL"],
  [["--gateway", "earshot.example"], {}, "must be an HTTP URL"],
  [["--gateway", "ftp://earshot.example"], {}, "must be an HTTP URL"],
  [gateway, {}, "EARSHOT_NODE_GATEWAY_KEY"],
  [gateway, {}, "earshot node --gateway http://127.0.0.1:9 --gateway-key KEY, "],
  [gateway, {}, "EARSHOT_NODE_EVIDENCE=none earshot node --gateway http://127.0.0.1:9, "],
  [[...gateway, "--gateway-key", "short"], {}, "43 letters"],
  [[...gateway, "--name", "x".repeat(65)], {}, "1 to 64 visible characters"],
  [[...gateway, "--name", "two\nlines"], {}, "one line"],
  [gateway, { EARSHOT_NODE_EVIDENCE: "sgx" }, "EARSHOT_NODE_EVIDENCE"],
  [gateway, { EARSHOT_NODE_EVIDENCE: "none" }, "EARSHOT_NODE_ENROLMENT_TOKEN"],
  [
    gateway,
    { EARSHOT_NODE_EVIDENCE: "none", EARSHOT_NODE_ENROLMENT_TOKEN: "short" },
    "earshot nodes enroll",
  ],
])("earshot node %j with %j is a usage error with a hint", async (args, environment, hint) => {
  const { code, out, notes } = await runCommand(["node", ...args], environment);
  expect(code).toBe(2);
  expect(out).toBe("");
  expect(notes).toContain(hint);
});

test("earshot node with simulated evidence but no tee.json fails, and names the command that writes the file", async () => {
  const environment = {
    EARSHOT_NODE_EVIDENCE: "simulated",
    EARSHOT_NODE_ENROLMENT_TOKEN: "A".repeat(43),
  };
  const { code, notes } = await runCommand(["node", ...gateway], environment);
  expect(code).toBe(1);
  expect(notes).toContain("tee.json");
  expect(notes).toContain("earshot nodes simulate");
});
