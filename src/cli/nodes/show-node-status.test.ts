import { expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import type { Attested } from "../../remote/worker/attest.ts";
import { createStatusPrinter } from "./show-node-status.ts";

const attested: Attested = {
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
const error = new EarshotError("node_refused", "evidence of the kind none is not taken here", {
  hint: "show tdx",
});

function make(gatewayKey: string | null = "KEY") {
  let shown = "";
  const teller = createStatusPrinter(
    {
      out: (text) => {
        shown += text;
      },
    },
    { gatewayKey },
  );
  return { ...teller, shown: () => shown };
}

test("node statuses from before the node is named are printed after the name", () => {
  const { print: show, begin, shown } = make();
  show({ state: "unreachable", error });
  show({ state: "pending", attested });
  expect(shown()).toBe("");
  begin("0123456789abcdef");
  expect(shown()).toBe(
    "this node awaits approval: run earshot nodes approve 0123456789abcdef on the gateway\n",
  );
});

test("each status change of a node is printed once", () => {
  const { print: show, begin, shown } = make();
  begin("0123456789abcdef");
  show({ state: "connecting" });
  show({ state: "admitted", attested });
  show({ state: "admitted", attested });
  show({ state: "unreachable", error });
  show({ state: "admitted", attested });
  expect(shown().split("\n")).toEqual([
    "attested and ready for jobs",
    "the gateway is unreachable, retrying: evidence of the kind none is not taken here",
    "attested and ready for jobs",
    "",
  ]);
});

test("an unconfirmed gateway key is reported with the setting that confirms it", () => {
  const { print: show, begin, shown } = make(null);
  begin("0123456789abcdef");
  show({ state: "admitted", attested });
  expect(shown()).toContain("gateway key KEY: trusted on first use");
  expect(shown()).toContain("EARSHOT_NODE_GATEWAY_KEY");
});

test("a refusal is printed with a hint, unless it ends the command, which reports it", () => {
  const { print: show, begin, shown } = make();
  begin("0123456789abcdef");
  show({ state: "refused", error, isFinal: true });
  expect(shown()).toBe("");
  show({ state: "refused", error, isFinal: false });
  expect(shown()).toContain(
    "the gateway refused the node: evidence of the kind none is not taken here – show tdx\n",
  );
});
