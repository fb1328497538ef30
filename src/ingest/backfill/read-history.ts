import { EarshotError } from "../../lib/errors.ts";
import type { ReadHistory } from "./history.ts";
import { readListing } from "./read-listing.ts";
import { readWholeRepository } from "./read-whole-repository.ts";

export const readHistory: ReadHistory = async (context) => {
  const { limits } = context.request;
  if (context.before.listing === null) {
    const whole = await readWholeRepository(context).catch((error: unknown) => {
      if (isWorthListing(error)) return "listing" as const;
      throw error;
    });
    if (whole !== "listing") return whole;
  }
  return await readListing(context, limits.maxPosts);
};

const fallbackCodes = new Set(["answer_too_large", "repository_unreadable", "upstream_timeout"]);

const isWorthListing = (error: unknown): boolean =>
  error instanceof EarshotError && fallbackCodes.has(error.code);
