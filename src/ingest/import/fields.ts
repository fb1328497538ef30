import { isHttpUrl } from "../../platforms/identity.ts";
import { parseIsoTime } from "../../platforms/time.ts";
import type { Media } from "../../posts/post.ts";

export type ImportField<T> = {
  expected: string;
  read(value: unknown): T | undefined;
};

/** Lengths are in UTF-16 code units. */
const recordBounds = {
  textLength: 100_000,
  nameLength: 1_000,
  idLength: 1_200,
  addressLength: 8_192,
  listItems: 200,
  hashtagLength: 500,
  labelLength: 128,
  altLength: 20_000,
} as const;

const wholeNumber: ImportField<number> = {
  expected: "a whole number of 0 or more",
  read: (value) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined,
};

const booleanField: ImportField<boolean> = {
  expected: "true or false",
  read: (value) => (typeof value === "boolean" ? value : undefined),
};

const reference: ImportField<string> = {
  expected: `a string of 1 to ${recordBounds.idLength} characters without spaces`,
  read: (value) => unspacedString(value, recordBounds.idLength),
};

const handle: ImportField<string> = {
  expected: `a handle of 1 to ${recordBounds.nameLength} characters without spaces`,
  read: (value) => {
    const name = unspacedString(value, recordBounds.nameLength);
    const bareName = name?.replace(/^[@＠]/, "");
    return bareName === "" ? undefined : bareName;
  },
};

const name: ImportField<string> = {
  expected: `a string of up to ${recordBounds.nameLength} characters`,
  read: (value) => string(value, recordBounds.nameLength),
};

const webUrl: ImportField<string> = {
  expected: `an http or https URL of up to ${recordBounds.addressLength} characters`,
  read: (value) => {
    const url = unspacedString(value, recordBounds.addressLength);
    return url !== undefined && isHttpUrl(url) ? url : undefined;
  },
};

export const importFields = {
  id: {
    expected: "a decimal string",
    read: (value) =>
      typeof value === "string" && /^(?:0|[1-9]\d{0,39})$/.test(value) ? value : undefined,
  } satisfies ImportField<string>,
  uri: reference,
  url: webUrl,
  author: handle,
  author_id: reference,
  author_name: name,
  author_verified: booleanField,
  created_at: {
    expected: "a time in ISO 8601, such as 2015-02-24T19:35:52Z",
    read: (value) => {
      if (typeof value !== "string" || value.length > 40) return undefined;
      const ms = parseIsoTime(value);
      return ms === null ? undefined : { text: value, ms };
    },
  } satisfies ImportField<{ text: string; ms: number }>,
  text: {
    expected: `a string of up to ${recordBounds.textLength} characters, which may be empty`,
    read: (value) => string(value, recordBounds.textLength),
  } satisfies ImportField<string>,
  lang: {
    expected: "a language tag, such as en or pt-BR",
    read: (value) =>
      typeof value === "string" &&
      value.length <= 35 &&
      /^[A-Za-z]{1,8}(?:[-_][A-Za-z0-9]{1,8})*$/.test(value)
        ? value
        : undefined,
  } satisfies ImportField<string>,
  likes: wholeNumber,
  reposts: wholeNumber,
  replies: wholeNumber,
  quotes: wholeNumber,
  in_reply_to_id: reference,
  in_reply_to: handle,
  conversation_id: reference,
  is_repost: booleanField,
  repost_of_id: reference,
  is_quote: booleanField,
  quote_of_id: reference,
  hashtags: {
    expected: `a list of up to ${recordBounds.listItems} strings of 1 to ${recordBounds.hashtagLength} characters without spaces`,
    read: (value) =>
      list(value, (item) => {
        const bareTag = unspacedString(item, recordBounds.hashtagLength)?.replace(/^[#＃]/, "");
        return bareTag === "" ? undefined : bareTag;
      }),
  } satisfies ImportField<readonly string[]>,
  urls: {
    expected: `a list of up to ${recordBounds.listItems} http or https URLs`,
    read: (value) => list(value, webUrl.read),
  } satisfies ImportField<readonly string[]>,
  media: {
    expected: `a list of up to ${recordBounds.listItems} objects {type, url, alt}`,
    read: (value) => list(value, readMedia),
  } satisfies ImportField<readonly Media[]>,
  lat: degrees(90),
  lon: degrees(180),
  sensitive: booleanField,
  source: name,
  labels: {
    expected: `a list of up to ${recordBounds.listItems} strings of 1 to ${recordBounds.labelLength} characters without spaces`,
    read: (value) => list(value, (item) => unspacedString(item, recordBounds.labelLength)),
  } satisfies ImportField<readonly string[]>,
} satisfies Record<string, ImportField<unknown>>;

export type ImportFieldName = keyof typeof importFields;

export const requiredFields: readonly ImportFieldName[] = ["author", "created_at", "text"];

function degrees(max: number): ImportField<number> {
  return {
    expected: `a number from -${max} to ${max}`,
    read: (value) => (typeof value === "number" && Math.abs(value) <= max ? value : undefined),
  };
}

function readMedia(value: unknown): Media | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { type, url, alt }: { type?: unknown; url?: unknown; alt?: unknown } = value;
  const kind = unspacedString(type, recordBounds.nameLength);
  const address = isAbsent(url) ? null : webUrl.read(url);
  const description = isAbsent(alt) ? null : string(alt, recordBounds.altLength);
  if (kind === undefined || address === undefined || description === undefined) return undefined;
  return { type: kind, url: address, alt: description };
}

export const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || value === "";

function string(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== "string" || value.length > maxLength) return undefined;
  // UTF-8 cannot encode a lone surrogate.
  return value.isWellFormed() ? value : value.toWellFormed();
}

function unspacedString(value: unknown, maxLength: number): string | undefined {
  const text = string(value, maxLength);
  return text === undefined || text === "" || /[\s\p{Cc}]/u.test(text) ? undefined : text;
}

function list<T>(value: unknown, read: (item: unknown) => T | undefined): T[] | undefined {
  if (!Array.isArray(value) || value.length > recordBounds.listItems) return undefined;
  const items: T[] = [];
  for (const item of value) {
    const member = read(item);
    if (member === undefined) return undefined;
    items.push(member);
  }
  return items;
}
