import { makePlan, namesIn, type PlanNode } from "@earshot/query/plan";
import { type Command, Option } from "commander";
import type { Archive } from "../../archive/archive.ts";
import { openCatalog } from "../../archive/catalog/open-catalog.ts";
import { findPosts } from "../../archive/maintenance/find-posts.ts";
import {
  allowAccountPostsReturn,
  allowAccountReturn,
  allowReturn,
  type ForgetContext,
  type ForgottenPost,
  forgetAccount,
  forgetPosts,
} from "../../archive/maintenance/forget.ts";
import {
  authorPlan,
  type NamedAuthor,
  namedAuthor,
} from "../../archive/maintenance/named-author.ts";
import { findNamedPosts } from "../../archive/maintenance/named-posts.ts";
import type { RewriteOutcome } from "../../archive/maintenance/rewrite-pending.ts";
import { systemClock } from "../../lib/clock.ts";
import { stripControls } from "../../lib/controls.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import { parseSearchQuery } from "../../search/parse-search-query.ts";
import type { Config } from "../../server/config.ts";
import { wrongUse } from "../describe-error.ts";
import { readConfig, requireDataDir } from "../settings.ts";
import { startReports } from "../terminal/progress-reports.ts";
import { numberText } from "../terminal/quantities.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { compactionProcess, rewriteWithProgress, segmentsText } from "./reindex.ts";
import { archiveFolder, withArchive } from "./with-archive.ts";

type Options = {
  author?: string;
  post?: readonly string[];
  query?: string;
  platform?: Platform;
  yes?: boolean;
  forGood?: boolean;
  allowReturn?: boolean;
  undo?: boolean;
  json?: boolean;
};

export function addForget(archive: Command, terminal: Terminal): void {
  archive
    .command("forget")
    .summary("delete posts and prevent their return")
    .description(
      "Deletes posts, including hidden ones, and prevents their return by replay, edit or import. Without --yes it " +
        "only counts them. Stored results omit them immediately; their texts are removed from disk when the segments " +
        "are rewritten. Backups and imported files are not changed.",
    )
    .option("--author <name>", "all posts of an account, by handle or id")
    .option("--post <name...>", "posts by ID, uri or URL, archived or not")
    .option("--query <query>", "all posts that match a query")
    .addOption(new Option("--platform <name>", "only on this platform").choices([...platforms]))
    .option("--yes", "delete them")
    .option("--for-good", "with --author: also reject future posts")
    .option("--allow-return", "let a later replay or import restore the posts")
    .option("--undo", "with --author or --post: allow their return")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  earshot archive forget --author ann.example.com --for-good --yes\n" +
        "  earshot archive forget --post https://x.com/ann/status/1234567890123456789 --yes\n" +
        "  earshot archive forget --query 'from:ann until:2020-01-01' --yes",
    )
    .action((options: Options) => forget(options, terminal));
}

async function forget(options: Options, terminal: Terminal): Promise<void> {
  requireOneSubject(options);
  const config = readConfig(terminal);
  requireDataDir(config);
  const forgottenCount = await withForgetTools(config, terminal, (tools) =>
    runForget(tools, options, terminal),
  );
  if (forgottenCount === null) return;
  const outcome = await rewriteWithProgress(config, terminal, "rewriting");
  terminal.out(resultText(forgottenCount, outcome, options));
}

async function withForgetTools<Value>(
  config: Config,
  terminal: Terminal,
  use: (tools: ForgetTools) => Promise<Value>,
): Promise<Value> {
  const folder = archiveFolder(config);
  return withArchive(config, async (archive) => {
    const catalog = openCatalog(folder);
    try {
      return await use({ archive, catalog, folder, signal: terminal.stopSignal });
    } finally {
      catalog.close();
    }
  });
}

/** Returns the number of deleted posts; null for `--undo` and dry runs. */
async function runForget(
  tools: ForgetTools,
  options: Options,
  terminal: Terminal,
): Promise<number | null> {
  if (options.undo) {
    terminal.out(undo(tools, options));
    return null;
  }
  const subject = await getSubject(tools, options);
  if (options.yes) return forgetSubject(tools, subject, options, terminal);
  terminal.out(dryRunText(subject, options));
  return null;
}

function requireOneSubject({ author, post, query, undo, forGood, allowReturn }: Options): void {
  const subjects = [author, post, query].filter((subject) => subject !== undefined);
  if (subjects.length !== 1) {
    throw wrongUse(
      "forget requires exactly one selection of posts",
      "use --author, --post or --query",
    );
  }
  if (undo && query !== undefined) {
    throw wrongUse("--undo does not work with --query", "use --author or --post");
  }
  if (forGood && author === undefined) {
    throw wrongUse("--for-good requires --author", "add --author");
  }
  if (forGood && allowReturn) {
    throw wrongUse("--for-good conflicts with --allow-return", "use one of them");
  }
}

type ForgetTools = ForgetContext & { archive: Archive; folder: string };
type Subject = { author: NamedAuthor | null; posts: readonly ForgottenPost[] };

async function getSubject(tools: ForgetTools, options: Options): Promise<Subject> {
  const { catalog } = tools;
  if (options.post !== undefined) {
    return { author: null, posts: namedPosts(tools, options) };
  }
  const author =
    options.author === undefined
      ? null
      : namedAuthor(catalog, options.author, options.platform ?? null);
  if (options.forGood && author?.userId === null) throw missingIdError(options.author ?? "");
  const plan =
    author === null ? await queryPlan(tools.archive, options.query ?? "") : authorPlan(author);
  return { author, posts: await getPosts(tools, plan, author?.platform ?? options.platform) };
}

async function getPosts(
  { folder, catalog, signal }: ForgetTools,
  plan: PlanNode,
  platform: Platform | undefined,
): Promise<ForgottenPost[]> {
  const posts: ForgottenPost[] = [];
  for (const batch of findPosts(
    folder,
    catalog,
    plan,
    platform === undefined ? platforms : [platform],
  )) {
    for (const { platform, uri, id, entry } of batch)
      posts.push({ platform, uri, stored: { id, entry } });
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
  return posts;
}

const missingIdError = (name: string) =>
  wrongUse(
    `the archive knows only the handle of ${name}, which another account may take over`,
    "remove --for-good, or name the account by its id",
  );

const namedPosts = (
  { folder, catalog }: Pick<ForgetTools, "folder" | "catalog">,
  options: Options,
) =>
  (options.post ?? [])
    .flatMap((name) => findNamedPosts(folder, catalog, name))
    .filter(({ platform }) => options.platform === undefined || platform === options.platform);

async function queryPlan(archive: Archive, query: string): Promise<PlanNode> {
  const { tree } = parseSearchQuery(query);
  const names = await archive.resolve(namesIn(tree));
  return makePlan(tree, { names, asOfMs: systemClock.now() });
}

async function forgetSubject(
  tools: ForgetTools,
  { author, posts }: Subject,
  options: Options,
  terminal: Terminal,
): Promise<number> {
  const reports = startReports(terminal, systemClock, "forget");
  try {
    let forgottenCount = 0;
    let remainingPosts = posts;
    if (options.forGood && author?.userId) {
      forgottenCount += await forgetAccount(tools, { ...author, userId: author.userId }, posts);
      // The remaining posts match by handle only.
      remainingPosts = await getPosts(tools, authorPlan(author), author.platform);
    }
    forgottenCount += await forgetPosts(tools, remainingPosts, (done) =>
      reports.update({ done, total: remainingPosts.length, detail: `${numberText(done)} posts` }),
    );
    if (options.allowReturn) allowReturn(tools, posts);
    return forgottenCount;
  } finally {
    reports.end();
  }
}

function undo(tools: ForgetTools, options: Options): string {
  const { catalog } = tools;
  if (options.post !== undefined) {
    const liftedCount = allowReturn(tools, namedPosts(tools, options));
    return options.json
      ? `${JSON.stringify({ posts_let_return: liftedCount })}\n`
      : `${postsText(liftedCount)} can return with the next replay, backfill or import\n`;
  }
  const author = namedAuthor(catalog, options.author ?? "", options.platform ?? null);
  const { userId } = author;
  const isAccountAllowed = userId !== null && allowAccountReturn(tools, { ...author, userId });
  const liftedCount = userId === null ? 0 : allowAccountPostsReturn(tools, { ...author, userId });
  if (options.json) {
    return `${JSON.stringify({ account_let_return: isAccountAllowed, posts_let_return: liftedCount })}\n`;
  }
  const name = stripControls(options.author ?? "");
  if (!isAccountAllowed && liftedCount === 0) return `${name} is not blocked from returning\n`;
  return `${name} can return with the next replay, backfill or import${isAccountAllowed ? "" : `: ${postsText(liftedCount)}`}\n`;
}

const maxShownPosts = 5;

function dryRunText({ author, posts }: Subject, options: Options): string {
  const archivedCount = posts.filter((post) => post.stored !== null).length;
  if (options.json) {
    return `${JSON.stringify({ dry_run: true, account: author?.userId ?? null, posts: archivedCount })}\n`;
  }
  const authorText =
    author === null ? "" : ` of ${author.userId ?? author.handle} (${author.platform})`;
  const lines = posts
    .slice(0, maxShownPosts)
    .map((post) => stripControls(`  ${post.uri}${post.stored === null ? " (not archived)" : ""}`));
  if (posts.length > maxShownPosts)
    lines.push(`  … and ${numberText(posts.length - maxShownPosts)} more`);
  return `${[
    `${postsText(archivedCount)}${authorText} would be deleted${lines.length === 0 ? "" : ":"}`,
    ...lines,
    "nothing was deleted; add --yes to delete them",
  ].join("\n")}\n`;
}

const postsText = (count: number): string =>
  count === 1 ? "1 post" : `${numberText(count)} posts`;

function resultText(forgottenCount: number, outcome: RewriteOutcome, options: Options): string {
  const { isQueued, segments, oldFilesRemoved } = outcome;
  if (options.json) {
    const summary = {
      dry_run: false,
      posts: forgottenCount,
      rewritten_by: compactionProcess({ isQueued }),
      rewritten_segments: segments,
      gone_from_disk: oldFilesRemoved,
    };
    return `${JSON.stringify(summary)}\n`;
  }
  if (forgottenCount === 0 && segments === 0)
    return `no matching post is archived${options.post === undefined ? "" : "; the named posts are blocked from returning"}\n`;
  const returnText = options.allowReturn ? "can return" : "blocked from returning";
  const diskText = isQueued
    ? "their texts are still on disk until the running server has rewritten the segments, within a few minutes; earshot archive stats shows how many are left"
    : oldFilesRemoved
      ? `their texts are deleted from disk: ${segmentsText(segments)} rewritten, old files removed`
      : `${segmentsText(segments)} rewritten; the running server will remove the old files, and the texts with them, within a few minutes`;
  return `${postsText(forgottenCount)} deleted, ${returnText}\n${diskText}\n`;
}
