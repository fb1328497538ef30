import { type RefObject, useEffect, useMemo, useRef } from "preact/compat";
import { isSearch } from "../../../../src/platforms/methods.ts";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { PostList } from "../../components/post-list.tsx";
import { wholeNumber } from "../../numbers.ts";
import { areSingleKeysOn, isTyping } from "../../single-keys.ts";
import { useRowKeys } from "../../use-row-keys.ts";
import { AnswerWarnings } from "./answer-warnings.tsx";
import { highlightTerms } from "./marks.ts";
import { NothingFound } from "./nothing-found.tsx";
import { readQuery } from "./read-query.ts";
import { maxQueryLength, type Request } from "./search-request.ts";
import { shownPost } from "./shown-post.ts";
import type { ShownAnswer } from "./use-search.ts";

export type View = "cards" | "json";

export function AnswerPosts({
  shownAnswer,
  view,
  isBusy,
  onMore,
  onSearch,
}: {
  shownAnswer: ShownAnswer;
  view: View;
  isBusy: boolean;
  onMore(): void;
  onSearch(request: Request): void;
}) {
  const { request, results, answer } = shownAnswer;
  const list = useRef<HTMLOListElement>(null);
  usePostKeys(list);
  const tree = useMemo(
    () =>
      isSearch(request.method)
        ? readQuery(request.query, maxQueryLength(request.method)).tree
        : null,
    [request.query, request.method],
  );
  const posts = useMemo(() => {
    const terms = highlightTerms(tree);
    return results.map((record) => shownPost(record, terms));
  }, [results, tree]);
  return (
    <>
      <AnswerWarnings
        request={request}
        answer={answer}
        isEmpty={posts.length === 0}
        onSearch={onSearch}
      />
      {posts.length === 0 ? (
        <NothingFound shownAnswer={shownAnswer} tree={tree} onSearch={onSearch} />
      ) : view === "json" ? (
        <div className="posts-json">
          <Code label="The posts as JSON">{JSON.stringify(results, null, 2)}</Code>
        </div>
      ) : (
        <PostList posts={posts} list={list} />
      )}
      {answer.next_cursor === null ? null : (
        <div className="panel-foot">
          <span>{wholeNumber(results.length)} shown. More available.</span>
          <Button size="small" onClick={onMore} disabled={isBusy}>
            Next {request.maxResults}
          </Button>
        </div>
      )}
    </>
  );
}

/** j and k move between posts, Enter opens the metadata, o the original. */
function usePostKeys(list: RefObject<HTMLElement | null>): void {
  useRowKeys(list, ".post");
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(target) || !areSingleKeysOn() || !(target instanceof HTMLElement)) return;
      const post = target.closest<HTMLElement>(".post");
      if (post === null || !list.current?.contains(post)) return;
      if (key === "Enter" && post === target) post.querySelector("summary")?.click();
      else if (key === "o") post.querySelector<HTMLElement>(".original")?.click();
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [list]);
}
