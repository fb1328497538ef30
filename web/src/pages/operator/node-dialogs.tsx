import type { ReactNode } from "preact/compat";
import type { NodeListing } from "../../../../src/http/dashboard/contract/operator.ts";
import { ConfirmName } from "../../components/confirm-name.tsx";
import { useAction } from "../../components/use-action.ts";
import { EvidenceBadge } from "../../nodes/evidence-badge.tsx";
import { ActionDialog } from "./action-dialog.tsx";
import type { NodeChange } from "./node-changes.ts";

type NodeDialogProps = {
  node: NodeListing;
  onClose(): void;
  /** Errors: ApiProblem. */
  onConfirm(): Promise<void>;
};

export function NodeDialog({ change, ...act }: NodeDialogProps & { change: NodeChange }) {
  if (change === "remove") return <RemoveNode {...act} />;
  return change === "drain" ? <DrainNode {...act} /> : <ApproveNode {...act} />;
}

function approvalTexts({ state }: NodeListing): { title: string; action: string } {
  if (state === "pending") return { title: "Approve", action: "Approve node" };
  if (state === "draining") return { title: "Resume", action: "Resume node" };
  return { title: "End the quarantine of", action: "End quarantine" };
}

function ApproveNode({ node, onClose, onConfirm }: NodeDialogProps) {
  const submission = useAction();
  const { title, action } = approvalTexts(node);
  return (
    <ActionDialog
      title={
        <>
          {title} <bdi>{node.name}</bdi>?
        </>
      }
      action={action}
      submission={submission}
      onClose={onClose}
      onSubmit={() => void submission.run(onConfirm)}
    >
      <p className="soft">It will receive searches from all accounts and be able to read them.</p>
      <dl className="facts">
        <Fact name="Id">
          <code>{node.id}</code>
        </Fact>
        <Fact name="Evidence">
          <EvidenceBadge evidence={node.evidence} />
        </Fact>
        {node.image === null ? null : <Fact name="Image">{node.image}</Fact>}
        {node.machine === null ? null : (
          <Fact name="Machine">
            <code>{node.machine}</code>
          </Fact>
        )}
        <Fact name="Proves">{node.proves}</Fact>
        <Fact name="Does not prove">{node.does_not_prove}</Fact>
      </dl>
      {node.state !== "pending" ? null : (
        <p className="soft">
          The node chose this name itself. Compare the id with the one that the node printed at
          startup.
        </p>
      )}
    </ActionDialog>
  );
}

function DrainNode({ node, onClose, onConfirm }: NodeDialogProps) {
  const submission = useAction();
  return (
    <ActionDialog
      title={
        <>
          Drain <bdi>{node.name}</bdi>?
        </>
      }
      action="Drain node"
      submission={submission}
      onClose={onClose}
      onSubmit={() => void submission.run(onConfirm)}
    >
      <p className="soft">
        It will finish its running jobs and get no new ones. It will stay connected, and you can
        resume it.
      </p>
    </ActionDialog>
  );
}

function RemoveNode({ node, onClose, onConfirm }: NodeDialogProps) {
  const { isPending, problem, run } = useAction();
  return (
    <ConfirmName
      title={
        <>
          Remove <bdi>{node.name}</bdi>?
        </>
      }
      name={node.name}
      confirmLabel="Remove node"
      cancelLabel="Keep the node"
      isPending={isPending}
      problem={problem}
      onClose={onClose}
      onConfirm={() => run(onConfirm)}
    >
      <p>
        Its key will be permanently refused, with any evidence, and its running jobs will go to
        other nodes immediately. Proofs of results that it signed will stay valid. To pause it,
        drain it.
      </p>
    </ConfirmName>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="soft-wrap">{children}</dd>
    </>
  );
}
