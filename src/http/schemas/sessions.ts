import * as z from "zod";

export const linkSignIn = z.strictObject({
  token: z.string().regex(/^[0-9A-Za-z_-]{43}$/, "expected the part of the link after #token="),
});

export const sessionPath = z.object({ id: z.string().max(64) });

export const providerPath = z.object({ provider: z.string().max(64) });
