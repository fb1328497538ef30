import { useState } from "preact/compat";
import type { StatusResponse } from "../../../../src/http/dashboard/contract/status.ts";
import { Button } from "../../components/button.tsx";
import { CommandLine } from "../../components/command-line.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { exactTime, shortTime } from "../../components/time.tsx";
import { spanDurationText } from "../../numbers.ts";
import { platformNames } from "../../platforms.ts";
import { type Gap, type GapFill, listGaps } from "./gaps.ts";

const collapsedCount = 8;

export function GapsPanel({ status }: { status: StatusResponse }) {
  const [isExpanded, setExpanded] = useState(false);
  const gaps = listGaps(status);
  if (gaps.length === 0) return null;
  const visibleGaps = isExpanded ? gaps : gaps.slice(0, collapsedCount);
  return (
    <section className="panel" aria-labelledby="gaps">
      <div className="panel-head">
        <h2 id="gaps">Gaps</h2>
        <a className="push small" href="/docs/backfill">
          How gaps are filled
        </a>
      </div>
      <Table
        caption="Gaps, newest first"
        columns={columns}
        rows={visibleGaps}
        rowKey={({ platform, from }) => `${platform} ${from}`}
      />
      {visibleGaps.length < gaps.length ? (
        <div className="panel-foot">
          <Button size="small" onClick={() => setExpanded(true)}>
            All {gaps.length} gaps
          </Button>
        </div>
      ) : null}
    </section>
  );
}

const columns: readonly Column<Gap>[] = [
  {
    title: "Platform",
    cell: ({ platform }) => <span className="name">{platformNames[platform]}</span>,
  },
  { title: "From", cell: ({ from }) => <Moment at={from} /> },
  { title: "To", cell: ({ to, isOpen }) => (isOpen ? "now" : <Moment at={to} />) },
  {
    title: "Length",
    cell: ({ lengthMs }) => <span className="num nowrap">{spanDurationText(lengthMs)}</span>,
  },
  { title: "How to fill it", cell: ({ fill }) => <Fill fill={fill} /> },
];

function Moment({ at }: { at: string }) {
  return (
    <time className="num nowrap" dateTime={at} title={exactTime(at)}>
      {shortTime(at)}
    </time>
  );
}

function Fill({ fill }: { fill: GapFill }) {
  if (fill.method === "stream") {
    return <span className="soft">Filled automatically when the stream reconnects</span>;
  }
  if (fill.method === "import") {
    return <span className="soft">Only an import can fill this gap.</span>;
  }
  return (
    <CommandLine command={fill.command}>
      {fill.needsToken ? (
        <small>
          Older than the history of the stream’s servers: requires{" "}
          <code>EARSHOT_NETWORK_REPLAY_TOKEN</code>
        </small>
      ) : null}
    </CommandLine>
  );
}
