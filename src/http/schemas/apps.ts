import * as z from "zod";
import { methodNames } from "../../platforms/methods.ts";

export const appPath = z.object({ id: z.string().max(64) });

export const authorizationQuery = z.strictObject({
  query: z.string().max(16_384),
});

export const authorizationDecision = z.strictObject({
  ticket: z.string().max(16_384),
  methods: z.array(z.enum(methodNames as [string, ...string[]])).max(methodNames.length),
});
