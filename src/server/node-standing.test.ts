import { expect, test } from "vitest";
import { EarshotError } from "../lib/errors.ts";
import type { Attested } from "../remote/worker/attest.ts";
import type { Standing } from "../remote/worker/attest-loop.ts";
import { createLastRefusal } from "./node-standing.ts";

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

const refusedBy = (check: string, isFinal = true): Standing => ({
  state: "refused",
  isFinal,
  fault: new EarshotError("node_refused", "refused", { details: [{ code: check, message: "m" }] }),
});

/** Whether the node gives up after it stood like this. */
async function givesUp(standings: readonly Standing[]): Promise<boolean> {
  const { refused, look } = createLastRefusal();
  for (const standing of standings) look(standing);
  return (await Promise.race([refused, Promise.resolve(null)])) !== null;
}

test.each(["superseded", "node_removed"])(
  "a node gives up that is sent away for good (%s), also after it was taken",
  async (check) => {
    expect(await givesUp([refusedBy(check)])).toBe(true);
    expect(await givesUp([{ state: "admitted", attested }, refusedBy(check)])).toBe(true);
    expect(await givesUp([{ state: "pending", attested }, refusedBy(check)])).toBe(true);
  },
);

test("what else is refused for good ends a node before it was taken, and is waited for later", async () => {
  const refused = refusedBy("evidence_not_accepted");
  expect(await givesUp([refused])).toBe(true);
  expect(await givesUp([{ state: "admitted", attested }, refused])).toBe(false);
  expect(await givesUp([refusedBy("challenge_ended", false)])).toBe(false);
});
