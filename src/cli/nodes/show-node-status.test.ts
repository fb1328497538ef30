import { expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import type { AttestationResult } from "../../remote/worker/attest.ts";
import { createStatusPrinter } from "./show-node-status.ts";

const attestation: AttestationResult = {
  state: "admitted",
  attestationId: "a",
  quoteSha256: null,
  gatewayKey: "KEY",
  atMs: 0,
  untilMs: 1,
  validMs: 1,
  againMs: 1,
  leaseWaitMs: 1,
};
const error = new EarshotError("node_refused", "evidence of kind none is not accepted", {
  hint: "use tdx",
});

function createTestPrinter(gatewayKey: string | null = "KEY") {
  let shown = "";
  const printer = createStatusPrinter(
    {
      out: (text) => {
        shown += text;
      },
    },
    { gatewayKey },
  );
  return { ...printer, shown: () => shown };
}

test("the last status before the node has an id is printed as soon as it has one", () => {
  const { print: show, begin, shown } = createTestPrinter();
  show({ state: "unreachable", error });
  show({ state: "pending", attestation });
  expect(shown()).toBe("");
  begin("0123456789abcdef");
  expect(shown()).toBe(
    "this node awaits approval: run earshot nodes approve 0123456789abcdef on the gateway\n",
  );
});

test("each status change of a node is printed once", () => {
  const { print: show, begin, shown } = createTestPrinter();
  begin("0123456789abcdef");
  show({ state: "connecting" });
  show({ state: "admitted", attestation });
  show({ state: "admitted", attestation });
  show({ state: "unreachable", error });
  show({ state: "admitted", attestation });
  expect(shown().split("\n")).toEqual([
    "attested and ready for jobs",
    "the gateway is unreachable, retrying: evidence of kind none is not accepted",
    "attested and ready for jobs",
    "",
  ]);
});

test("an unconfirmed gateway key is reported with the setting that confirms it", () => {
  const { print: show, begin, shown } = createTestPrinter(null);
  begin("0123456789abcdef");
  show({ state: "admitted", attestation });
  expect(shown()).toContain("gateway key KEY: trusted on first use");
  expect(shown()).toContain("EARSHOT_NODE_GATEWAY_KEY");
});

test("a refusal is printed with a hint, unless it ends the command, which reports it", () => {
  const { print: show, begin, shown } = createTestPrinter();
  begin("0123456789abcdef");
  show({ state: "refused", error, isFinal: true });
  expect(shown()).toBe("");
  show({ state: "refused", error, isFinal: false });
  expect(shown()).toContain(
    "the gateway refused the node: evidence of kind none is not accepted – use tdx\n",
  );
});
