import { url } from "../../lib/settings/network-kinds.ts";

export const hackerNewsSettings = {
  hackerNewsUrl: url(
    "EARSHOT_HACKERNEWS_URL",
    "https://hn.algolia.com",
    ["https:", "http:"],
    "URL of the Hacker News search API.",
  ),
};
