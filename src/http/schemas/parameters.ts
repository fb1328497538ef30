import * as z from "zod";
import { jobStates } from "../../jobs/job.ts";
import { methodNames } from "../../platforms/methods.ts";
import { platforms } from "../../posts/post.ts";
import { closedQuery, errorWithHint, unknownValueMessage } from "./words.ts";

const platform = z.string().meta({
  description: `social for all platforms, or ${platforms.join(", ")}, twitter.`,
  examples: ["social"],
});

const uuid = z.string().meta({
  description: "The uuid that the submission returned.",
  examples: ["0f8fad5b-d9cb-469f-a165-70867728950e"],
});

export const platformPath = z.object({ platform });
export const jobPath = z.object({ uuid });
export const platformJobPath = z.object({ platform, uuid });

const waitError = errorWithHint(
  "expected a whole number of seconds from 1 to 30",
  "use digits, such as ?wait=10",
);

export const waitQuery = closedQuery("use only wait, such as ?wait=10", {
  wait: z
    .preprocess(readDigits, z.int(waitError).min(1, waitError).max(30, waitError))
    .optional()
    .meta({
      description: "Waits up to this many seconds for the job to end.",
      examples: [10],
    }),
});

/** Query parameters would be ignored in a request with a body. */
export const noQuery = z.strictObject(
  {},
  errorWithHint(
    "this path has no query parameters",
    'leave them out: send the search in the body, and a wait as Prefer: wait=10, or as "wait":10 in a search in one call',
  ),
);

function readDigits(value: unknown): unknown {
  return typeof value === "string" && /^(0|[1-9]\d{0,8})$/.test(value) ? Number(value) : value;
}

const preferDescription =
  "wait=N waits for the job to end, for up to N seconds and never more than 30 (RFC 7240). Preference-Applied is set if " +
  "it waited.";

function preferHeader(description: string) {
  return z
    .string()
    .optional()
    .meta({ description, examples: ["wait=10"] });
}

export const waitHeaders = z.looseObject({
  prefer: preferHeader(`${preferDescription} ?wait= takes precedence.`),
});

export const submissionHeaders = z.looseObject({
  prefer: preferHeader(preferDescription),
  "idempotency-key": z
    .string()
    .optional()
    .meta({
      description:
        "1 to 255 printable ASCII characters, chosen by the client. The same search repeated with the same key within 24 " +
        "hours returns the same job.",
      examples: ["8e03978e-40d5-43dd-bc93-6894a57f9324"],
    }),
});

export const idempotencyHeaders = submissionHeaders.pick({ "idempotency-key": true });

export const streamHeaders = z.looseObject({
  "last-event-id": z
    .string()
    .optional()
    .meta({
      description:
        "The id of the last received event; the stream begins with later changes. 0 begins with every stored job.",
      examples: ["1207"],
    }),
});

const limitError = errorWithHint(
  "expected a whole number from 1 to 100",
  "use digits, such as ?limit=20",
);

const cursorError = errorWithHint(
  "expected the next_cursor of an earlier page",
  "send next_cursor unchanged",
);

const queryError = errorWithHint(
  "expected a part of the query, of 1 to 100 characters, none of them control characters",
  "such as ?query=comet",
);

export function pageParameters(items: string) {
  return {
    limit: z
      .preprocess(readDigits, z.int(limitError).min(1, limitError).max(100, limitError))
      .optional()
      .meta({ description: `${items} on a page, 1 to 100; 20 when absent.`, examples: [20] }),
    cursor: z
      .string(cursorError)
      .max(2_048, cursorError)
      .optional()
      .meta({ description: "next_cursor of an earlier page." }),
  };
}

export const jobsQuery = closedQuery("send ?status=done,error&method=searchbyquery&limit=20", {
  status: commaSeparatedList("status", jobStates).meta({
    description: "Comma-separated states; default: all.",
    examples: ["done,error"],
  }),
  method: commaSeparatedList("method", methodNames).meta({
    description: "Comma-separated methods; default: all.",
    examples: ["searchbyquery"],
  }),
  platform: commaSeparatedList("platform", ["social", ...platforms]).meta({
    description: "Comma-separated platforms, as in the status; default: all.",
    examples: ["social,bluesky"],
  }),
  query: z
    .string(queryError)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: generators of test data do not support \P{Cc}
    .regex(/^[^\u0000-\u001f\u007f-\u009f]+$/, queryError)
    .max(100, queryError)
    .optional()
    .meta({
      description: "Part of the query; ignores the case of the letters a to z.",
      examples: ["comet"],
    }),
  ...pageParameters("Jobs"),
});

export const eventsQuery = closedQuery(
  "use only uuid, such as ?uuid=0f8fad5b-d9cb-469f-a165-70867728950e",
  {
    uuid: z
      .string(errorWithHint("expected one uuid", "send ?uuid= once"))
      .optional()
      .meta({
        description: "Only this job: its current state, then each change, until it ends.",
        examples: ["0f8fad5b-d9cb-469f-a165-70867728950e"],
      }),
  },
);

/** If absent, all values match. */
export function commaSeparatedList<const Word extends string>(
  parameter: string,
  words: readonly Word[],
) {
  const error = errorWithHint(
    `expected comma-separated values for ${parameter}`,
    `such as ?${parameter}=${words.slice(0, 2).join(",")}`,
  );
  return z
    .string(error)
    .max(200, error)
    .transform((text, context): readonly Word[] =>
      text.split(",").flatMap((part) => {
        const word = words.find((known) => known === part);
        if (word !== undefined) return [word];
        const message = unknownValueMessage(parameter, part, words);
        context.addIssue({ code: "invalid_value", values: [...words], input: part, message });
        return [];
      }),
    )
    .optional();
}
