import type { Ref } from "preact/compat";
import { Link } from "wouter";
import { Post, type ShownPost } from "./post.tsx";

/** A platform that allows only IDs is named once, above the posts. */
export function PostList({
  posts,
  list = null,
}: {
  posts: readonly ShownPost[];
  list?: Ref<HTMLOListElement> | null;
}) {
  const idOnlyPlatforms = new Set(
    posts.flatMap(({ parts, platform }) => (parts === null ? [platform?.name] : [])),
  );
  return (
    <>
      {[...idOnlyPlatforms].map((name) => (
        <p className="withheld-note" key={name}>
          {name ?? "The platform"} allows us to show IDs only.{" "}
          <Link href="/credentials">
            Connect {name === undefined ? "an" : `your ${name}`} account
          </Link>{" "}
          to read the posts.
        </p>
      ))}
      <ol className="posts" ref={list}>
        {posts.map((post) => (
          // IDs are unique only per platform.
          <li key={`${post.platform?.name} ${post.id}`}>
            <Post post={post} />
          </li>
        ))}
      </ol>
    </>
  );
}
