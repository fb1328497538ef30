import * as z from "zod";
import { maxOverlapHours } from "../../accounts/keys/key.ts";
import { methodNames } from "../../platforms/methods.ts";
import { closedObject, errorWithHint, namedEnum } from "./words.ts";

export const keyPath = z.object({ id: z.string() });

const nameText = errorWithHint("expected a string", 'send, for example, "name":"laptop"');
const someMethods = errorWithHint(
  "expected a list of different methods",
  'send null for all, or for example ["searchbyquery"]',
);
const aRate = errorWithHint("expected a whole number from 1", "send null for the account's limit");
const aTime = errorWithHint(
  "expected a time such as 2026-12-31T12:00:00Z",
  "send null for no expiry",
);

const rate = z.int(aRate).min(1, aRate).nullable().optional();

const choice = {
  methods: z
    .array(namedEnum("method", methodNames, 'send, for example, "searchbyquery"'), someMethods)
    .min(1, someMethods)
    .max(methodNames.length, someMethods)
    .refine((methods) => new Set(methods).size === methods.length, someMethods)
    .nullable()
    .optional(),
  requests_per_second: rate,
  submissions_per_minute: rate,
  expires_at: z.iso
    .datetime({ offset: true, ...aTime })
    .nullable()
    .optional(),
};

const bodyErrors = {
  kind: "field",
  message: "expected a JSON object",
  hint: 'send {"name":"laptop"}',
};

export const newKey = closedObject(bodyErrors, { name: z.string(nameText), ...choice });

export const keyChange = closedObject(bodyErrors, {
  name: z.string(nameText).optional(),
  ...choice,
});

const someHours = errorWithHint(
  `expected a whole number of hours from 0 to ${maxOverlapHours}`,
  'send, for example, {"overlap_hours":24}; 0 ends the key immediately',
);

export const keyRotation = closedObject(
  { kind: "field", message: "expected a JSON object", hint: 'send {"overlap_hours":24}' },
  { overlap_hours: z.int(someHours).min(0, someHours).max(maxOverlapHours, someHours) },
);
