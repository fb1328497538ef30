import { EarshotError } from "../../lib/errors.ts";
import { type AuthorSummary, type BackfillRequest, backfillAuthor } from "./backfill-author.ts";

export type AuthorsRequest = Omit<BackfillRequest, "onProgress"> & {
  authors: readonly string[];
  accountsAtOnce: number;
  onProgress?: (progress: AuthorsProgress) => void;
  onAuthor?: (result: AuthorResult) => void;
};

type AuthorsProgress = {
  finishedAuthors: number;
  totalAuthors: number;
  posts: number;
  author: string;
  authorPosts: number;
  bytesRead: number;
};

export type AuthorResult =
  | { author: string; summary: AuthorSummary }
  | { author: string; error: EarshotError };

/** Errors that affect only one account. */
const accountErrorCodes = /^(account_|repository_|upstream_|answer_)|^address_refused$/;

export async function backfillAuthors(request: AuthorsRequest): Promise<AuthorResult[]> {
  const { authors, accountsAtOnce, onProgress, onAuthor } = request;
  const results: AuthorResult[] = [];
  const postCounts = new Map<string, number>();
  const queuedAuthors = [...authors];
  let lastProgress = { author: "", authorPosts: 0, bytesRead: 0 };
  let isStopped = false;

  async function work(): Promise<void> {
    for (
      let author = queuedAuthors.shift();
      author !== undefined && !isStopped;
      author = queuedAuthors.shift()
    ) {
      const result = await read(author).catch((error: unknown) => {
        isStopped = true;
        throw error;
      });
      results.push(result);
      onAuthor?.(result);
      report();
    }
  }

  async function read(author: string): Promise<AuthorResult> {
    try {
      const onAuthorProgress: BackfillRequest["onProgress"] = ({ author, posts, bytesRead }) => {
        postCounts.set(author, posts);
        lastProgress = { author, authorPosts: posts, bytesRead };
        report();
      };
      return {
        author,
        summary: await backfillAuthor(author, { ...request, onProgress: onAuthorProgress }),
      };
    } catch (error) {
      if (!(error instanceof EarshotError) || !accountErrorCodes.test(error.code)) throw error;
      return { author, error };
    }
  }

  function report(): void {
    const posts = [...postCounts.values()].reduce((sum, count) => sum + count, 0);
    onProgress?.({
      finishedAuthors: results.length,
      totalAuthors: authors.length,
      posts,
      ...lastProgress,
    });
  }

  const workers = await Promise.allSettled(Array.from({ length: accountsAtOnce }, work));
  const failedWorker = workers.find((worker) => worker.status === "rejected");
  if (failedWorker !== undefined) throw failedWorker.reason;
  return results;
}
