import * as z from "zod";
import { type Platform, platforms } from "../../posts/post.ts";
import { closedObject, errorWithHint, namedEnum } from "./words.ts";

const maxFields = 16;
const longestName = 64;
/** Longer than any valid value. */
const longestText = 20_000;

const kindText = errorWithHint(
  "expected a kind that GET /dashboard/api/credentials lists",
  'send, for example, "kind":"app-password"',
);
const fieldsText = errorWithHint(
  "expected an object of strings",
  'send, for example, "fields":{"token":"…"}',
);
const answerText = errorWithHint("expected a string", 'send {"answer":"https://…"}');

const text = (message: { error: string }) => z.string(message).max(longestText, message);

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
    kind: z.string(kindText).min(1, kindText).max(longestName, kindText),
    fields: z
      .record(z.string(), text(fieldsText), fieldsText)
      .refine((fields) => Object.keys(fields).length <= maxFields, fieldsText),
  },
);

export const authorizationResponse = closedObject(
  { kind: "field", message: "expected a JSON object", hint: 'send {"answer":"https://…"}' },
  { answer: text(answerText).min(1, answerText) },
);

export const credentialPath = z.object({ id: z.string() });
