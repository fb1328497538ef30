import { Headers } from "undici";
import { expect, test } from "vitest";
import { makeNode } from "../../../testkit/nodes/proof.ts";
import { answerOf } from "../../lib/fetched-answer.ts";
import { createOwnAttestation } from "./attestations.ts";

const { attestation } = await makeNode("none");
const { id } = attestation;

function make(...answers: readonly { status?: number; body?: unknown }[]) {
  const asked: string[] = [];
  const own = createOwnAttestation({
    gatewayUrl: "https://gateway.example/search",
    fetch: async (url) => {
      const { status = 200, body = attestation } = answers[asked.length] ?? {};
      asked.push(String(url));
      const bytes = Buffer.from(JSON.stringify(body));
      return answerOf(new URL(url), { status, headers: new Headers() }, bytes);
    },
    timeoutMs: 10_000,
  });
  return { asked, own };
}

test("the gateway is asked once, below its own path", async () => {
  const { asked, own } = make();
  expect(await own.of(id)).toEqual(attestation);
  expect(await own.of(id)).toEqual(attestation);
  expect(asked).toEqual([`https://gateway.example/search/v1/attestations/${id}`]);
});

test.each([
  ["does not have it", { status: 404, body: {} }],
  ["gives something else", { body: "none" }],
  ["gives another's", { body: (await makeNode("none")).attestation }],
])("a gateway that %s is asked again the next time", async (_what, answer) => {
  const { asked, own } = make(answer);
  await expect(own.of(id)).rejects.toMatchObject({ code: "gateway_unreachable" });
  expect(await own.of(id)).toEqual(attestation);
  expect(asked).toHaveLength(2);
});
