import { EarshotError } from "../../lib/errors.ts";
import { type AuthorSummary, type BackfillRequest, backfillAuthor } from "./backfill-author.ts";

export type AuthorsRequest = Omit<BackfillRequest, "onProgress"> & {
  authors: readonly string[];
  accountsAtOnce: number;
  onProgress?: (seen: AuthorsProgress) => void;
  onAuthor?: (result: AuthorResult) => void;
};

type AuthorsProgress = {
  ended: number;
  authors: number;
  posts: number;
  author: string;
  authorPosts: number;
  readBytes: number;
};

export type AuthorResult =
  | { author: string; summary: AuthorSummary }
  | { author: string; error: EarshotError };

/** Errors that affect only one account. */
const accountErrorCodes = /^(account_|repository_|upstream_|answer_)|^address_refused$/;

export async function backfillAuthors(request: AuthorsRequest): Promise<AuthorResult[]> {
  const { authors, accountsAtOnce, onProgress, onAuthor } = request;
  const results: AuthorResult[] = [];
  const readPosts = new Map<string, number>();
  const waiting = [...authors];
  let last = { author: "", authorPosts: 0, readBytes: 0 };
  let isStopped = false;

  async function work(): Promise<void> {
    for (
      let requested = waiting.shift();
      requested !== undefined && !isStopped;
      requested = waiting.shift()
    ) {
      const result = await read(requested).catch((error: unknown) => {
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
      const onAuthorProgress: BackfillRequest["onProgress"] = ({ author, posts, readBytes }) => {
        readPosts.set(author, posts);
        last = { author, authorPosts: posts, readBytes };
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
    const posts = [...readPosts.values()].reduce((sum, count) => sum + count, 0);
    onProgress?.({ ended: results.length, authors: authors.length, posts, ...last });
  }

  const workers = await Promise.allSettled(Array.from({ length: accountsAtOnce }, work));
  const failed = workers.find((worker) => worker.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return results;
}
