import * as z from "zod";
import { platforms } from "../posts/post.ts";

export const platform = z
  .enum(["social", ...platforms])
  .default("social")
  .describe('One platform, or "social" for all of them');

export const startTime = z
  .string()
  .optional()
  .describe('Only posts from this time on: "2026-01-31" or "2026-01-31T12:00:00Z"');
export const endTime = z.string().optional().describe("Only posts before this time");

export const maxResults = z.int().min(1).max(100).default(20);

export const maxChars = z
  .int()
  .min(100)
  .max(1_000_000)
  .default(12_000)
  .describe("Limits the total length of all texts, to fit your context");

export const cursor = z
  .string()
  .optional()
  .describe("Cursor of an earlier result, for the next page");

export const account = z
  .string()
  .describe('A handle or profile address: "ann.bsky.social", "@ann@mastodon.social", "x:@ann"');

export const postName = z.string().describe("The id or URL of a post");
