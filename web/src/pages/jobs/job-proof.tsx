import { request } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { CommandLine } from "../../components/command-line.tsx";
import { ProblemNote } from "../../components/problem-note.tsx";
import { useAction } from "../../components/use-action.ts";
import type { JobStatus } from "../../jobs/job.ts";
import { saveFile } from "../../save-file.ts";
import { proofDownload } from "./proof.ts";

export function JobProof({ job }: { job: JobStatus }) {
  const { isPending, problem, run } = useAction();
  const proof = proofDownload(job);
  if (proof === null) return null;
  if (proof.kind === "none") {
    return (
      <div className="panel-part">
        <h3>Proof</h3>
        <p className="quiet small">{proof.reason}</p>
      </div>
    );
  }
  const { path, name, command, meaning } = proof;
  const save = async () => saveFile(await (await request(path)).blob(), name);
  return (
    <div className="panel-part proof">
      <div className="row">
        <h3>Proof</h3>
        <Button size="small" disabled={isPending} onClick={() => void run(save)}>
          Download proof
        </Button>
        <a className="push small" href="/docs/attestation">
          What it proves
        </a>
      </div>
      <p className="quiet small">{meaning} Verify it on your own machine:</p>
      <p>
        <CommandLine command={command} />
      </p>
      {problem === null ? null : <ProblemNote problem={problem} />}
    </div>
  );
}
