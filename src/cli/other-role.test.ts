import { expect, test } from "vitest";
import { otherRoleWarning } from "./serving.ts";

const gateway = { EARSHOT_NODES_EVIDENCE: "none", EARSHOT_EMBEDDED_NODE: "off" };
const node = { EARSHOT_NODE_EVIDENCE: "none", EARSHOT_NODE_GATEWAY: "http://one" };
const commonSettings = { EARSHOT_NODE_CONCURRENCY: "4", EARSHOT_HOST: "127.0.0.1", PATH: "/bin" };

test("settings of the same role or of both roles give no warning", () => {
  expect(otherRoleWarning("serve", { ...gateway, ...commonSettings })).toBeNull();
  expect(otherRoleWarning("node", { ...node, ...commonSettings })).toBeNull();
  expect(otherRoleWarning("node", { ...node, EARSHOT_NODES_EVIDENCE: "" })).toBeNull();
});

test("settings of the other role are listed on one line", () => {
  const atNode = otherRoleWarning("node", { ...node, ...gateway, ...commonSettings });
  expect(atNode).toMatch(/^ignored: EARSHOT_EMBEDDED_NODE, EARSHOT_NODES_EVIDENCE, which /);
  expect(atNode).toContain("EARSHOT_NODE_");
  const atServer = otherRoleWarning("serve", { ...node, ...gateway, ...commonSettings });
  expect(atServer).toMatch(/^ignored: EARSHOT_NODE_GATEWAY, EARSHOT_NODE_EVIDENCE, which /);
  expect(`${atNode}${atServer}`).not.toContain("\n");
});
