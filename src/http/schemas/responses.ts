import * as z from "zod";

export const problemShape = z
  .strictObject({
    type: z.string().meta({ description: "A URI reference: /docs/errors/<code>." }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    retryable: z.boolean(),
    request_id: z.string(),
    hint: z.string().optional(),
    errors: z
      .array(
        z.strictObject({
          code: z.string(),
          message: z.string(),
          hint: z.string().optional(),
          pointer: z.string().optional().meta({ description: "JSON pointer into the body." }),
          offset: z.int().optional().meta({ description: "In code points of the query." }),
          length: z.int().optional(),
          expected: z.array(z.string()).optional(),
        }),
      )
      .optional(),
    uuid: z.string().optional().meta({
      description:
        "In responses to submissions: empty if refused, the job's uuid if the job failed.",
    }),
    error: z.string(),
  })
  .meta({
    id: "Problem",
    examples: [
      {
        type: "/docs/errors/rate_limited",
        title: "Rate limit exceeded",
        status: 429,
        detail: "the key exceeded its limit of searches per minute",
        code: "rate_limited",
        retryable: true,
        request_id: "5f0c3c1e-7f0b-4a55-8a7e-7f3f5a0f3f10",
        uuid: "",
        error: "the key exceeded its limit of searches per minute",
      },
    ],
  });

export function problemResponses(descriptions: Readonly<Record<number, string>>) {
  return Object.fromEntries(
    Object.entries(descriptions).map(([code, description]) => [
      code,
      { description, content: { "application/problem+json": { schema: problemShape } } },
    ]),
  );
}

export const unexpectedBodyErrors = {
  413: "The body is too large.",
  415: "The body is not plain JSON.",
};

export function jsonResponse(description: string, schema: z.ZodType) {
  return { description, content: { "application/json": { schema } } };
}
