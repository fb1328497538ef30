import "./first-run.css";
import { useState } from "preact/compat";
import { Link } from "wouter";
import type { SamplesResponse } from "../../../src/http/dashboard/contract/operator.ts";
import type { StatusResponse } from "../../../src/http/dashboard/contract/status.ts";
import { api } from "../api.ts";
import { commandText } from "../command-text.ts";
import { Button } from "../components/button.tsx";
import { CommandLine } from "../components/command-line.tsx";
import { ProblemNote } from "../components/problem-note.tsx";
import { useAction } from "../components/use-action.ts";
import { wholeNumber } from "../numbers.ts";
import { searchPagePath } from "../pages/playground/search-request.ts";
import { useSignedIn } from "../session.tsx";
import { useApi } from "../use-api.ts";
import { streamNotes } from "./stream-notes.ts";

const refreshMs = 2_000;

/** Next steps while the archive is empty, then progress until the user leaves the page. */
export function FirstRun() {
  const [wasEmpty, setWasEmpty] = useState(false);
  const { account } = useSignedIn();
  const { data, refresh } = useApi<StatusResponse>(
    "/dashboard/api/status?range=24h",
    wasEmpty ? refreshMs : 0,
  );
  if (data === undefined) return null;
  const { posts } = data.archive;
  if (posts === 0 && !wasEmpty) setWasEmpty(true);
  if (posts > 0 && !wasEmpty) return null;
  return (
    <section className="panel" aria-labelledby="first-run">
      <div className="panel-head">
        <h2 id="first-run">
          {posts === 0 ? "The archive is empty" : `${wholeNumber(posts)} posts archived`}
        </h2>
        <span className="push small quiet" role="status">
          {posts === 0 ? "Waiting for the first posts" : "Posts are arriving"}
        </span>
      </div>
      <div className="panel-body first-run">
        {streamNotes(data.platforms).map(({ title, texts }) => (
          <div key={title}>
            <h3>{title}</h3>
            {texts.map((text) => (
              <p key={text}>{text}</p>
            ))}
          </div>
        ))}
        {account.role === "operator" ? <OperatorSteps onLoaded={refresh} /> : null}
      </div>
    </section>
  );
}

const sampleSearch = searchPagePath({
  query: "aurora",
  method: "searchbyfullarchive",
  platform: "social",
  maxResults: 20,
});

function OperatorSteps({ onLoaded }: { onLoaded(): Promise<void> }) {
  const [isLoaded, setLoaded] = useState(false);
  const { isPending, problem, run } = useAction();
  const load = () =>
    run(async () => {
      await api.post<SamplesResponse>("/dashboard/api/operator/samples");
      setLoaded(true);
      await onLoaded();
    });
  return (
    <>
      <div>
        <h3>Try it with sample posts</h3>
        <p>
          Fictional posts from an imaginary harbour town, up to the end of 2025. They carry the
          badge <i>sample</i>.
        </p>
        {isLoaded ? (
          <Link className="button" data-size="small" href={sampleSearch} state={{ run: true }}>
            Search them for “aurora”
          </Link>
        ) : (
          <Button size="small" disabled={isPending} onClick={() => void load()}>
            {isPending ? "Loading sample posts…" : "Load sample posts"}
          </Button>
        )}
        {problem === null ? null : <ProblemNote problem={problem} />}
      </div>
      <div>
        <h3>Import your own</h3>
        <p>
          <CommandLine command={commandText("import posts.ndjson --platform bluesky")} />
        </p>
        <p>
          Run it on this server, even while Earshot is running. The posts are counted here as they
          arrive. <a href="/docs/import">Formats</a>
        </p>
      </div>
    </>
  );
}
