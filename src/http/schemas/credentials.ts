import * as z from "zod";
import { type Platform, platforms } from "../../posts/post.ts";
import { closedObject, errorWithHint, namedEnum } from "./words.ts";

const maxFields = 16;
const maxNameLength = 64;
/** Longer than any valid value. */
const maxTextLength = 20_000;

const kindError = errorWithHint(
  "expected a kind that GET /dashboard/api/credentials lists",
  'send, for example, "kind":"app-password"',
);
const fieldsError = errorWithHint(
  "expected an object of strings",
  'send, for example, "fields":{"token":"…"}',
);
const answerError = errorWithHint("expected a string", 'send {"answer":"https://…"}');

const text = (message: { error: string }) => z.string(message).max(maxTextLength, message);

export const newCredential = closedObject(
  {
    kind: "field",
    message: "expected a JSON object",
    hint: 'send {"platform":"x","kind":"app-token","fields":{"token":"…"}}',
  },
  {
    platform: namedEnum("platform", platforms, 'send, for example, "platform":"x"').transform(
      // The enumeration contains exactly the platforms.
      (word) => word as Platform,
    ),
    kind: z.string(kindError).min(1, kindError).max(maxNameLength, kindError),
    fields: z
      .record(z.string(), text(fieldsError), fieldsError)
      .refine((fields) => Object.keys(fields).length <= maxFields, fieldsError),
  },
);

export const authorizationResponse = closedObject(
  { kind: "field", message: "expected a JSON object", hint: 'send {"answer":"https://…"}' },
  { answer: text(answerError).min(1, answerError) },
);

export const credentialPath = z.object({ id: z.string() });
