import * as z from "zod";
import { maxOverlapHours } from "../../accounts/keys/key.ts";
import { methodNames } from "../../platforms/methods.ts";
import { closedObject, errorWithHint, namedEnum } from "./words.ts";

export const keyPath = z.object({ id: z.string() });

const nameError = errorWithHint("expected a string", 'send, for example, "name":"laptop"');
const methodsError = errorWithHint(
  "expected a list of different methods",
  'send null for all, or for example ["searchbyquery"]',
);
const rateError = errorWithHint(
  "expected a whole number from 1",
  "send null for the account's limit",
);
const timeError = errorWithHint(
  "expected a time such as 2026-12-31T12:00:00Z",
  "send null for no expiry",
);

const rate = z.int(rateError).min(1, rateError).nullable().optional();

const choice = {
  methods: z
    .array(namedEnum("method", methodNames, 'send, for example, "searchbyquery"'), methodsError)
    .min(1, methodsError)
    .max(methodNames.length, methodsError)
    .refine((methods) => new Set(methods).size === methods.length, methodsError)
    .nullable()
    .optional(),
  requests_per_second: rate,
  submissions_per_minute: rate,
  expires_at: z.iso
    .datetime({ offset: true, ...timeError })
    .nullable()
    .optional(),
};

const bodyErrors = {
  kind: "field",
  message: "expected a JSON object",
  hint: 'send {"name":"laptop"}',
};

export const newKey = closedObject(bodyErrors, { name: z.string(nameError), ...choice });

export const keyChange = closedObject(bodyErrors, {
  name: z.string(nameError).optional(),
  ...choice,
});

const overlapError = errorWithHint(
  `expected a whole number of hours from 0 to ${maxOverlapHours}`,
  'send, for example, {"overlap_hours":24}; 0 ends the key immediately',
);

export const keyRotation = closedObject(
  { kind: "field", message: "expected a JSON object", hint: 'send {"overlap_hours":24}' },
  { overlap_hours: z.int(overlapError).min(0, overlapError).max(maxOverlapHours, overlapError) },
);
