import type { Post } from "../../posts/post.ts";
import type { Session } from "../session.ts";
import { ask } from "./ask.ts";
import { postParameters } from "./fields.ts";
import { readPosts } from "./post-page.ts";
import { withOriginal } from "./read-post.ts";

/** How many posts one look-up may name. */
const mostNamed = 100;

/**
 * The posts, each repost with what its original says: X cuts the text of a repost short and leaves out its links. The originals
 * are looked up together, as only those of reposts are wanted and each one is billed; one that is gone leaves its repost as it is.
 */
export async function withOriginals(posts: readonly Post[], session: Session): Promise<Post[]> {
  const named = posts.flatMap(({ reposted }) => (reposted?.id ? [reposted.id] : []));
  const ids = [...new Set(named)].slice(0, mostNamed);
  if (ids.length === 0) return [...posts];
  const told = await ask(session, {
    path: "/2/tweets",
    query: { ids: ids.join(","), ...postParameters },
    bucket: "GET /2/tweets",
    bill: { postReads: ids.length, userReads: ids.length },
    counted: "posts",
    scopes: ["tweet.read", "users.read"],
  });
  const originals = new Map(readPosts(told).posts.map((post) => [post.uri, post]));
  return posts.map((post) => {
    const original = originals.get(post.reposted?.uri ?? "");
    return original === undefined ? post : withOriginal(post, original);
  });
}
