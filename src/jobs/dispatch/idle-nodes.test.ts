import { expect, test } from "vitest";
import { createIdleNodes } from "./idle-nodes.ts";

const node = (nodeId: string, load = 0) => ({ nodeId, methods: [], load: () => load });

test("equally loaded nodes take turns, and a turn counts even without a dispatched job", () => {
  const nodes = createIdleNodes<string>();
  const dispatchedNodeIds: string[] = [];
  for (const nodeId of ["local", "remote"])
    nodes.add(node(nodeId), () => dispatchedNodeIds.push(nodeId));
  expect(nodes.takeTurn("local", () => true)).toBe(true);
  expect(nodes.takeTurn("local", () => true)).toBe(false);
  expect(nodes.dispatchOne(() => "a job")).toBe(true);
  expect(dispatchedNodeIds).toEqual(["remote"]);
  expect(nodes.takeTurn("local", () => true)).toBe(true);
});

test("a node gets no job while a less loaded one can run it", () => {
  const nodes = createIdleNodes<string>();
  nodes.add(node("local", 1), () => undefined);
  nodes.add(node("remote"), () => undefined);
  expect(nodes.takeTurn("local", () => true)).toBe(false);
  expect(nodes.takeTurn("local", ({ nodeId }) => nodeId === "local")).toBe(true);
  expect(nodes.takeTurn("absent", () => true)).toBe(false);
});
