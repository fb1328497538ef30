import type { SpotCheckListing } from "../../../../src/http/dashboard/contract.ts";
import { Badge } from "../../components/badge.tsx";
import type { Tone } from "../../components/note.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Ago } from "../../components/time.tsx";

/** How two nodes answered the same search. Of two answers that differ nobody knows which one is wrong. */
export function SpotChecks({ checks }: { checks: readonly SpotCheckListing[] }) {
  return (
    <section className="panel" aria-labelledby="spot-checks">
      <div className="panel-head">
        <h2 id="spot-checks">Spot checks</h2>
      </div>
      {checks.length === 0 ? (
        <div className="panel-body">
          <p className="quiet">
            None. <code>EARSHOT_NODES_SPOT_CHECKS</code> has a share of the searches run by a second
            node too, so that differences show.
          </p>
        </div>
      ) : (
        <Table
          caption="Spot checks, newest first"
          columns={columns}
          rows={checks}
          keyOf={({ at, job }) => `${at} ${job}`}
        />
      )}
    </section>
  );
}

const tones: Readonly<Record<SpotCheckListing["outcome"], Tone | undefined>> = {
  same: undefined,
  explained: undefined,
  different: "caution",
  failed: "danger",
};

const meanings: Readonly<Record<SpotCheckListing["outcome"], string>> = {
  same: "both gave the same",
  explained: "they differ only in what not both hold completely",
  different: "they differ in what both say they hold",
  failed: "the second gave no answer",
};

const columns: readonly Column<SpotCheckListing>[] = [
  { title: "When", cell: ({ at }) => <Ago at={at} /> },
  {
    title: "Nodes",
    cell: ({ first_node: first, second_node: second }) => (
      <>
        <bdi>{first}</bdi> and <bdi>{second}</bdi>
      </>
    ),
  },
  {
    title: "Outcome",
    cell: ({ outcome }) => {
      const tone = tones[outcome];
      return (
        <>
          <Badge {...(tone === undefined ? {} : { tone })}>{outcome}</Badge>
          <small>{meanings[outcome]}</small>
        </>
      );
    },
  },
  { title: "Job", isLess: true, cell: ({ job }) => <code>{job}</code> },
  {
    title: "Differences",
    cell: ({ differences }) =>
      differences.length === 0 ? (
        <span className="quiet">none</span>
      ) : (
        <span className="soft-wrap small">{differences.join("; ")}</span>
      ),
  },
];
