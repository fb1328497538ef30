import type { StatusResponse } from "../../../../src/http/dashboard/contract/status.ts";
import { exactTime, shortTime } from "../../components/time.tsx";
import { bytesText, quantityText, spanDurationText, wholeNumber } from "../../numbers.ts";

export function ArchivePanel({ status: { archive, platforms } }: { status: StatusResponse }) {
  const { oldest_at: oldest, newest_at: newest, free_disk_bytes: freeBytes } = archive;
  return (
    <section className="panel" aria-labelledby="archive">
      <div className="panel-head">
        <h2 id="archive">Archive</h2>
      </div>
      <div className="panel-body">
        <dl className="facts">
          <Fact name="Posts">
            {oldest === null || newest === null ? (
              "none yet"
            ) : (
              <>
                <Moment at={oldest} /> to <Moment at={newest} />
              </>
            )}
          </Fact>
          <Fact name="Segments">
            {quantityText(archive.segments, "file")}
            {platforms.some(({ posts }) => posts > 0) ? (
              <span className="quiet"> of {bytesText(archive.bytes)}</span>
            ) : null}
          </Fact>
          <Fact name="Hidden">
            {archive.hidden === 0
              ? "none"
              : `${wholeNumber(archive.hidden)} posts, by account status or label`}
          </Fact>
          <Fact name="Retention">
            oldest segment deleted at {bytesText(archive.max_bytes)}
            {archive.max_age_ms === null
              ? ""
              : `, posts after ${spanDurationText(archive.max_age_ms)}`}
          </Fact>
          {freeBytes === null ? null : <Fact name="Free on disk">{bytesText(freeBytes)}</Fact>}
        </dl>
      </div>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      {shortTime(at)}
    </time>
  );
}
