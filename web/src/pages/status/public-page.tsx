import "./public-page.css";
import type { PublicStatus } from "../../../../src/http/schemas/public-status.ts";
import { InsecureBanner } from "../../components/banner.tsx";
import { Brand } from "../../components/brand.tsx";
import { Loading } from "../../components/loading.tsx";
import { focusPageHead, PageHead } from "../../components/page-head.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { exactTime, shortTime } from "../../components/time.tsx";
import { useZoom } from "../../components/zoom.tsx";
import { gapsText, nothingText } from "../../coverage-text.ts";
import { lagText, shortNumber } from "../../numbers.ts";
import { platformNames } from "../../platforms.ts";
import { useApi } from "../../use-api.ts";
import { CoveragePanel } from "./coverage-panel.tsx";
import {
  type CoverageStatus,
  type PlatformCoverage,
  streamStatusText,
} from "./coverage-summary.ts";
import { statusSummary } from "./status-summary.ts";

const refreshMs = 30_000;

/** The Status page for signed-out visitors. */
export function PublicStatusPage() {
  const { data, problem, refresh } = useApi<PublicStatus>("/v1/status", refreshMs);
  const zoom = useZoom(focusPageHead);
  const status = data === undefined ? undefined : coverageStatus(data);
  return (
    <>
      <InsecureBanner />
      <div className="public-status">
        <header className="row">
          <Brand />
          <nav className="row push" aria-label="Site">
            <a href="/docs">Docs</a>
            <a href="/dashboard/sign-in">Sign in</a>
          </nav>
        </header>
        <main id="main">
          <PageHead title="Status">
            {data === undefined || status === undefined
              ? "\u00a0"
              : `${sentences[data.status]} ${statusSummary(status)}`}
          </PageHead>
          <div className="stack">
            {problem === undefined ? null : <ProblemNote problem={problem} retry={refresh} />}
            {status === undefined ? (
              problem === undefined && <Loading>Loading status…</Loading>
            ) : (
              <>
                <CoveragePanel status={status} zoom={zoom} />
                <Platforms status={status} />
              </>
            )}
          </div>
        </main>
      </div>
    </>
  );
}

const sentences: Readonly<Record<PublicStatus["status"], string>> = {
  ready: "Earshot is up.",
  "read only": "The disk is full: results can be read, but new searches are refused.",
  "not ready": "Searches are currently unavailable.",
};

function coverageStatus({ from, to, platforms }: PublicStatus): CoverageStatus {
  return {
    range: "7d",
    from,
    to,
    platforms: platforms.map((platform) => ({ ...platform, received: null })),
  };
}

function Platforms({ status: { platforms } }: { status: CoverageStatus }) {
  return (
    <section className="panel" aria-labelledby="platforms">
      <div className="panel-head">
        <h2 id="platforms">Platforms</h2>
      </div>
      <Table
        caption="Platforms"
        columns={columns}
        rows={platforms}
        rowKey={({ platform }) => platform}
      />
    </section>
  );
}

const columns: readonly Column<PlatformCoverage>[] = [
  {
    title: "Platform",
    cell: ({ platform }) => <span className="name">{platformNames[platform]}</span>,
  },
  { title: "Source", cell: (platform) => streamStatusText(platform) },
  {
    title: "Complete since",
    cell: ({ coverage: { complete_since: completeSince } }) =>
      completeSince === null ? null : (
        <time dateTime={completeSince} title={exactTime(completeSince)}>
          {shortTime(completeSince)}
        </time>
      ),
  },
  {
    title: "Gaps in 7 days",
    cell: ({ coverage: { held, gaps }, posts }) => {
      if (gaps.length > 0) return gapsText(gaps);
      return held.length > 0 ? "none" : nothingText(posts);
    },
  },
  {
    title: "Stream lag",
    isNumber: true,
    cell: ({ stream }) =>
      stream === null || stream.lag_ms === null ? null : lagText(stream.lag_ms),
  },
  {
    title: "Posts",
    isNumber: true,
    cell: ({ posts }) => {
      const { value, unit } = shortNumber(posts);
      return `${value}${unit}`;
    },
  },
];
