import { expect, test } from "vitest";
import { otherRoleWarning } from "./other-role.ts";

const gateway = { EARSHOT_NODES_AUDIENCE: "here", EARSHOT_EMBEDDED_NODE: "off" };
const node = { EARSHOT_NODE_AUDIENCE: "here", EARSHOT_NODE_NAME: "one" };
const both = { EARSHOT_NODE_CONCURRENCY: "4", EARSHOT_HOST: "127.0.0.1", PATH: "/bin" };

test("settings of the role itself, and those of both, are no fault", () => {
  expect(otherRoleWarning("serve", { ...gateway, ...both })).toBeNull();
  expect(otherRoleWarning("node", { ...node, ...both })).toBeNull();
  expect(otherRoleWarning("node", { ...node, EARSHOT_NODES_AUDIENCE: "" })).toBeNull();
});

test("those of the other role are named on one line", () => {
  const atNode = otherRoleWarning("node", { ...node, ...gateway, ...both });
  expect(atNode).toMatch(/^not used here: EARSHOT_EMBEDDED_NODE, EARSHOT_NODES_AUDIENCE, for /);
  expect(atNode).toContain("EARSHOT_NODE_");
  const atServer = otherRoleWarning("serve", { ...node, ...gateway, ...both });
  expect(atServer).toMatch(/^not used here: EARSHOT_NODE_AUDIENCE, EARSHOT_NODE_NAME, for /);
  expect(`${atNode}${atServer}`).not.toContain("\n");
});
