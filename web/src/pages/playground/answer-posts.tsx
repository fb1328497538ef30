import { useMemo, useRef } from "react";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { Icon } from "../../components/icons.tsx";
import { Post } from "../../components/post.tsx";
import { sentence } from "../../components/problem-note.tsx";
import { wholeNumber } from "../../numbers.ts";
import { expectedBy } from "./marks.ts";
import { NothingFound } from "./nothing-found.tsx";
import { readQuery } from "./read-query.ts";
import { longestQuery, type Request } from "./search-request.ts";
import { shownPost } from "./shown-post.ts";
import { usePostKeys } from "./use-post-keys.ts";
import type { Shown } from "./use-search.ts";

export type View = "cards" | "json";

export function AnswerPosts({
  shown,
  view,
  isBusy,
  onMore,
  onSearch,
}: {
  shown: Shown;
  view: View;
  isBusy: boolean;
  onMore(): void;
  onSearch(request: Request): void;
}) {
  const { ask, results, answer } = shown;
  const list = useRef<HTMLOListElement>(null);
  usePostKeys(list);
  const tree = useMemo(
    () => readQuery(ask.query, longestQuery(ask.method)).tree,
    [ask.query, ask.method],
  );
  const posts = useMemo(() => {
    const expected = expectedBy(tree);
    return results.map((record) => shownPost(record, expected));
  }, [results, tree]);
  // The composer shows query warnings, the coverage panel shows gaps.
  const warnings = answer.warnings.filter(
    ({ code, offset }) => offset === undefined && code !== "incomplete_coverage",
  );
  return (
    <>
      {warnings.length === 0 ? null : (
        <ul className="answer-warnings">
          {warnings.map(({ code, message, hint }) => (
            <li key={`${code} ${message}`}>
              <Icon name="info" />
              <p>
                {sentence(message)} {hint === undefined ? null : sentence(hint)}
              </p>
            </li>
          ))}
        </ul>
      )}
      {posts.length === 0 ? (
        <NothingFound shown={shown} tree={tree} onSearch={onSearch} />
      ) : view === "json" ? (
        <div className="posts-json">
          <Code label="The posts as JSON">{JSON.stringify(results, null, 2)}</Code>
        </div>
      ) : (
        <ol className="posts" ref={list}>
          {posts.map((post) => (
            // IDs are unique per platform only.
            <li key={`${post.platform?.name} ${post.id}`}>
              <Post post={post} />
            </li>
          ))}
        </ol>
      )}
      {answer.next_cursor === null ? null : (
        <div className="panel-foot">
          <span>{wholeNumber(results.length)} shown. Older posts available.</span>
          <Button size="small" onClick={onMore} disabled={isBusy}>
            Next {ask.maxResults}
          </Button>
        </div>
      )}
    </>
  );
}
