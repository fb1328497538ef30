import type { StatusResponse } from "../../../../src/http/dashboard/contract/status.ts";
import { FigureBox, FigureText } from "../../components/figure-box.tsx";
import { Meter } from "../../components/meter.tsx";
import { exactTime } from "../../components/time.tsx";
import { ageFigure, bytesFigure, bytesText, shortNumber } from "../../numbers.ts";

export function StatusFigures({
  status: { archive, platforms, queue, to },
}: {
  status: StatusResponse;
}) {
  const rates = platforms
    .flatMap(({ stream }) => (stream?.status === "connected" ? [stream.posts_per_second] : []))
    .filter((rate) => rate !== null);
  const { newest_at: newest } = archive;
  const disk = bytesFigure(archive.bytes);
  const limitText = `of ${bytesText(archive.max_bytes)}`;
  return (
    <dl className="figures">
      <FigureBox name="Newest post">
        {newest === null ? (
          "none"
        ) : (
          <time dateTime={newest} title={exactTime(newest)}>
            <FigureText figure={ageFigure(Date.parse(to) - Date.parse(newest))} suffix=" ago" />
          </time>
        )}
      </FigureBox>
      <FigureBox name="Ingest rate">
        {rates.length === 0 ? (
          <span className="quiet">none</span>
        ) : (
          <FigureText
            figure={{
              ...shortNumber(Math.round(rates.reduce((sum, rate) => sum + rate, 0) * 10) / 10),
              unit: "posts/s",
            }}
          />
        )}
      </FigureBox>
      <FigureBox name="Archive">
        <FigureText figure={shortNumber(archive.posts)} suffix=" posts" />
      </FigureBox>
      <FigureBox name="On disk">
        <FigureText figure={{ value: disk.value, unit: `${disk.unit} ${limitText}` }} />
        <Meter
          value={archive.bytes}
          max={archive.max_bytes}
          label={`${bytesText(archive.bytes)} ${limitText} used`}
          tone={archive.bytes > 0.95 * archive.max_bytes ? "caution" : undefined}
        />
      </FigureBox>
      <FigureBox name="Searches waiting">
        <FigureText figure={shortNumber(queue.waiting)} />
      </FigureBox>
    </dl>
  );
}
