import { InvalidArgumentError } from "commander";
import { type ImportFieldName, importFields } from "../../ingest/import/fields.ts";
import { blueskyCarFormat } from "../../ingest/import/formats/bluesky-car.ts";
import { csvFormat } from "../../ingest/import/formats/csv.ts";
import { type ColumnMap, isFieldName } from "../../ingest/import/formats/csv-columns.ts";
import type { ImportFormat } from "../../ingest/import/formats/format.ts";
import { mastodonOutboxFormat } from "../../ingest/import/formats/mastodon-outbox.ts";
import { xApiFormat } from "../../ingest/import/formats/x-api.ts";
import { xArchiveFormat } from "../../ingest/import/formats/x-archive.ts";
import { ndjsonFormat } from "../../ingest/import/lines.ts";
import type { Platform } from "../../posts/post.ts";
import { wrongUse } from "../describe-error.ts";

export const formatNames = [
  "ndjson",
  "csv",
  "x-archive",
  "x-api",
  "mastodon-outbox",
  "bluesky-car",
] as const;
type FormatName = (typeof formatNames)[number];

const platformOf: Readonly<Partial<Record<FormatName, Platform>>> = {
  "x-archive": "x",
  "x-api": "x",
  "mastodon-outbox": "mastodon",
  "bluesky-car": "bluesky",
};

export type ImportFormatOptions = {
  format: FormatName;
  platform?: Platform;
  columns?: ColumnMap;
  author?: string;
};

/** Errors: `wrong_use` for conflicting options. */
export function importFormat(
  { format, platform: requestedPlatform, columns, author }: ImportFormatOptions,
  maxRepositoryBytes: number,
): { platform: Platform; format: ImportFormat } {
  const fixedPlatform = platformOf[format];
  const platform = fixedPlatform ?? requestedPlatform;
  if (platform === undefined) {
    throw wrongUse(
      "required option '--platform <name>' not specified",
      "add --platform with the platform of the posts",
    );
  }
  if (requestedPlatform !== undefined && requestedPlatform !== platform) {
    throw wrongUse(
      `--format ${format} is for ${platform}, not for ${requestedPlatform}`,
      "remove --platform",
    );
  }
  if (columns !== undefined && format !== "csv") {
    throw wrongUse("--columns requires --format csv", "add --format csv, or remove --columns");
  }
  if (author !== undefined && !formatsWithAuthor.includes(format)) {
    throw wrongUse(
      `--author requires --format ${formatsWithAuthor.join(", ").replace(/, (?=[^,]*$)/, " or ")}`,
      "remove --author: the files name the author",
    );
  }
  const authorName = author ?? null;
  const formats: Record<FormatName, () => ImportFormat> = {
    ndjson: () => ndjsonFormat(platform),
    csv: () => csvFormat({ platform, columns: columns ?? new Map(), author: authorName }),
    "x-archive": () => xArchiveFormat({ author: authorName }),
    "x-api": () => xApiFormat,
    "mastodon-outbox": () => mastodonOutboxFormat,
    "bluesky-car": () => blueskyCarFormat({ maxRepositoryBytes, author: authorName }),
  };
  return { platform, format: formats[format]() };
}

const formatsWithAuthor: readonly FormatName[] = ["csv", "x-archive", "bluesky-car"];

/** Parses `text=body,created_at=date`. */
export function columnMap(list: string): ColumnMap {
  const map = new Map<ImportFieldName, string>();
  for (const pair of list.split(",")) {
    const [, name = "", column] = /^\s*([a-z_]+)=(.+)$/.exec(pair) ?? [];
    if (column === undefined) {
      throw new InvalidArgumentError(
        "It must be FIELD=COLUMN,…, such as text=body,created_at=date.",
      );
    }
    if (!isFieldName(name)) {
      throw new InvalidArgumentError(
        `Unknown field ${JSON.stringify(name)}. Use one of ${Object.keys(importFields).join(", ")}.`,
      );
    }
    if (map.has(name)) throw new InvalidArgumentError(`${name} is repeated.`);
    map.set(name, column.trim());
  }
  return map;
}

export function authorHandle(text: string): string {
  const handle = importFields.author.read(text);
  if (handle !== undefined) return handle;
  throw new InvalidArgumentError("It must be a handle, such as alice or alice.example.com.");
}
