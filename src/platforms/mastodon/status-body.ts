import type { Media } from "../../posts/post.ts";
import { asFields, isObject, list, string } from "../fields.ts";
import { htmlToText } from "./html-text.ts";
import { asHttpUrl } from "./http-url.ts";

/** Marks a quote's fallback text, which is dropped where the quote is shown. */
const quoteFallbackClass = "quote-inline";
const maxWarningLength = 5_000;
const maxOptionLength = 1_000;
const maxOptions = 20;
const maxContentLength = 1_000_000;

export function textAndLinks(
  status: Record<string, unknown>,
  hasQuote: boolean,
): { text: string; links: string[] } {
  const content = string(status.content, maxContentLength) ?? "";
  const body = htmlToText(content, hasQuote ? quoteFallbackClass : null);
  const references = new Set([...readAddresses(status.mentions), ...readAddresses(status.tags)]);
  const links = body.links
    .filter(({ url, isReference }) => !isReference && !references.has(url))
    .map(({ url }) => url);
  const warning = (string(status.spoiler_text, maxWarningLength) ?? "").trim();
  const parts = [warning, body.text, readOptions(status.poll).join("\n")];
  const card = asHttpUrl(asFields(status.card).url);
  return {
    text: parts.filter((part) => part !== "").join("\n\n"),
    links: card === null ? links : [...links, card],
  };
}

const readAddresses = (value: unknown): string[] =>
  list(value, 200).flatMap((item) => asHttpUrl(asFields(item).url) ?? []);

function readOptions(poll: unknown): string[] {
  if (!isObject(poll)) return [];
  return list(poll.options, maxOptions).flatMap((option) => {
    const title = string(asFields(option).title, maxOptionLength)?.trim();
    return title ? [title] : [];
  });
}

const maxMedia = 40;
const maxAltLength = 5_000;
/** `gifv` is a video without sound. */
const mediaTypes: readonly string[] = ["image", "gifv", "video", "audio"];

/** Prefers files on this server to the origin's, and both to a preview. */
export function readAttachments(attachments: unknown): Media[] {
  return list(attachments, maxMedia).flatMap((attachment) => {
    const {
      type,
      url,
      remote_url: remote,
      preview_url: preview,
      description,
    } = asFields(attachment);
    if (typeof type !== "string") return [];
    return [
      {
        type: mediaTypes.includes(type) ? type : "unknown",
        url: asHttpUrl(url) ?? asHttpUrl(remote) ?? asHttpUrl(preview),
        alt: string(description, maxAltLength)?.trim() || null,
      },
    ];
  });
}
