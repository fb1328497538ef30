import type { Media } from "../../posts/post.ts";
import { asFields, list, string } from "../fields.ts";
import { webAddress } from "./web-address.ts";

const maxMedia = 40;
const maxAltLength = 5_000;
/** `gifv` is a video without sound. */
const types: readonly string[] = ["image", "gifv", "video", "audio"];

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
        type: types.includes(type) ? type : "unknown",
        url: webAddress(url) ?? webAddress(remote) ?? webAddress(preview),
        alt: string(description, maxAltLength)?.trim() || null,
      },
    ];
  });
}
