import { expect, test } from "vitest";
import { EarshotError } from "../lib/errors.ts";
import { describeError } from "./describe-error.ts";

const refusalError = (check: string) =>
  new EarshotError("node_refused", "another run of this node attested later", {
    hint: "run each node with a data folder of its own",
    details: [{ code: check, message: "m" }],
  });

test("a node that was superseded or removed exits with code 3 and a one-line reason", () => {
  const line =
    "earshot: another run of this node attested later – run each node with a data folder of its own\n";
  expect(describeError(refusalError("superseded"))).toEqual({ line, code: 3 });
  expect(describeError(refusalError("node_removed")).code).toBe(3);
  expect(describeError(refusalError("evidence_not_accepted")).code).toBe(1);
  expect(describeError(new EarshotError("node_removed", "of an operator's command")).code).toBe(1);
});
