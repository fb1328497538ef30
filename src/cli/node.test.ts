import { expect, test } from "vitest";
import { runCommand } from "../../testkit/service/run-command.ts";

const gateway = ["--gateway", "http://127.0.0.1:9"];

test.each([
  [[], {}, "--gateway URL"],
  [["--gateway", "earshot.example"], {}, "with its scheme"],
  [["--gateway", "ftp://earshot.example"], {}, "with its scheme"],
  [gateway, {}, "EARSHOT_NODE_GATEWAY_KEY"],
  [gateway, {}, "`earshot node --gateway http://127.0.0.1:9 --gateway-key KEY`"],
  [gateway, {}, "`EARSHOT_NODE_EVIDENCE=none earshot node --gateway http://127.0.0.1:9`"],
  [[...gateway, "--gateway-key", "short"], {}, "43 letters"],
  [[...gateway, "--name", "x".repeat(65)], {}, "1 to 64 characters"],
  [[...gateway, "--name", "two\nlines"], {}, "one line"],
  [gateway, { EARSHOT_NODE_EVIDENCE: "sgx" }, "EARSHOT_NODE_EVIDENCE"],
  [gateway, { EARSHOT_NODE_EVIDENCE: "none" }, "EARSHOT_NODE_ENROLMENT_TOKEN"],
  [
    gateway,
    { EARSHOT_NODE_EVIDENCE: "none", EARSHOT_NODE_ENROLMENT_TOKEN: "short" },
    "earshot nodes enroll",
  ],
  [gateway, { EARSHOT_NODE_EVIDENCE: "simulated" }, "tee.json"],
])("earshot node %j with %j is wrong use with a hint", async (args, environment, hint) => {
  const { code, out, notes } = await runCommand(["node", ...args], environment);
  expect(code).toBe(2);
  expect(out).toBe("");
  expect(notes).toContain(hint);
});
