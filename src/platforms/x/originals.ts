import { EarshotError } from "../../lib/errors.ts";
import type { Post } from "../../posts/post.ts";
import type { Session } from "../session.ts";
import type { UpstreamWarning } from "../upstream.ts";
import { postParameters } from "./fields.ts";
import { readPosts } from "./post-page.ts";
import { withOriginal } from "./read-post.ts";
import { requestX, type XResponse } from "./request.ts";

const maxLookups = 100;

/**
 * X truncates a repost's text. Only originals are looked up, because each is billed. A failed
 * lookup is a warning, because the posts are already paid for.
 */
export async function withOriginals(
  posts: readonly Post[],
  session: Session,
): Promise<{ posts: readonly Post[]; warnings: readonly UpstreamWarning[] }> {
  const repostedIds = posts.flatMap(({ reposted }) => (reposted?.id ? [reposted.id] : []));
  const ids = [...new Set(repostedIds)].slice(0, maxLookups);
  if (ids.length === 0) return { posts, warnings: [] };
  const response = await lookUp(ids, session);
  if (response instanceof EarshotError) return { posts, warnings: [repostsTruncated(response)] };
  const originals = new Map(readPosts(response).posts.map((post) => [post.uri, post]));
  const completedPosts = posts.map((post) => {
    const original = originals.get(post.reposted?.uri ?? "");
    return original === undefined ? post : withOriginal(post, original);
  });
  return { posts: completedPosts, warnings: [] };
}

async function lookUp(ids: readonly string[], session: Session): Promise<XResponse | EarshotError> {
  try {
    return await requestX(session, {
      path: "/2/tweets",
      query: { ids: ids.join(","), ...postParameters },
      bucket: "GET /2/tweets",
      bill: { postReads: ids.length, userReads: ids.length },
      billedAs: "posts",
      scopes: ["tweet.read", "users.read"],
    });
  } catch (error) {
    if (error instanceof EarshotError) return error;
    throw error;
  }
}

const repostsTruncated = ({ message, hint }: EarshotError): UpstreamWarning => ({
  code: "reposts_cut",
  message: `reposts have the text that X truncates, because their originals could not be looked up: ${message}`,
  ...(hint === undefined ? {} : { hint }),
});
