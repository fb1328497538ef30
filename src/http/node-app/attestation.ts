import * as z from "zod";
import { addressGroup } from "../../accounts/address-group.ts";
import { createAttempts } from "../../accounts/credentials/attempts.ts";
import { EarshotError } from "../../lib/errors.ts";
import { setRetryAfter } from "../problems/refused-by-rate.ts";
import { problem } from "../problems/write-problem.ts";
import type { TypedApp } from "../routes/typed-app.ts";
import { closedObject, wording } from "../schemas/words.ts";
import type { NodeAppContext } from "./context.ts";

const nonceWording = wording(
  "expected 32 bytes in base64url without padding, 43 characters",
  "create new ones for each call, such as with `openssl rand 32 | basenc --base64url | tr -d =`",
);

const attestationQuery = closedObject(
  {
    what: "parameter",
    needed: "the query string is not valid",
    hint: "the only parameter is nonce, 32 bytes in base64url",
  },
  { nonce: z.string(nonceWording).regex(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/, nonceWording) },
);

/** GET /attestation: fresh evidence over the caller's nonce, rate-limited per address. */
export function addAttestationRoute(app: TypedApp, context: NodeAppContext): void {
  const attempts = createAttempts(context.settings.attestationsPerMinute, context.clock);
  app.route({
    method: "GET",
    url: "/attestation",
    schema: { querystring: attestationQuery },
    handler: async (request, reply) => {
      const waitMs = attempts.take(addressGroup(request.callerAddress));
      if (waitMs > 0) {
        const seconds = setRetryAfter(reply, waitMs);
        throw problem("too_many_attempts", "too much evidence was asked for from here", {
          hint: `come again in ${seconds} s`,
        });
      }
      const attestation = await context.attest(request.query.nonce).catch((error: unknown) => {
        if (!(error instanceof EarshotError)) throw error;
        throw problem("unavailable", "the node has no evidence to give for the moment");
      });
      return reply
        .header("cache-control", "no-store")
        .type("application/json; charset=utf-8")
        .send(JSON.stringify(attestation));
    },
  });
}
