import type { ReactNode } from "react";
import type { NodeListing } from "../../../../src/http/dashboard/contract.ts";
import { ConfirmName } from "../../components/confirm-name.tsx";
import { useAsking } from "../../components/use-asking.ts";
import { EvidenceBadge } from "../../nodes/evidence-badge.tsx";
import { ActDialog } from "./act-dialog.tsx";
import type { NodeChange } from "./node-changes.ts";

type NodeAct = {
  node: NodeListing;
  onClose(): void;
  /** Sends the change and shows how things stand then. Errors: ApiProblem. */
  onConfirm(): Promise<void>;
};

/** The question before a node is let in, sent to rest, or kept out. */
export function NodeDialog({ change, ...act }: NodeAct & { change: NodeChange }) {
  if (change === "remove") return <RemoveNode {...act} />;
  return change === "drain" ? <DrainNode {...act} /> : <ApproveNode {...act} />;
}

function ApproveNode({ node, onClose, onConfirm }: NodeAct) {
  const asked = useAsking();
  const isKnown = node.state !== "pending";
  return (
    <ActDialog
      title={
        <>
          {isKnown ? "Let" : "Approve"} <bdi>{node.name}</bdi>
          {isKnown ? " work again?" : "?"}
        </>
      }
      action={isKnown ? "Let it work" : "Approve node"}
      asked={asked}
      onClose={onClose}
      onSubmit={() => void asked.run(onConfirm)}
    >
      <p className="soft">It gets searches of all accounts, and reads them.</p>
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
      {isKnown ? null : (
        <p className="soft">
          Its name is its own word. Compare the id with the one that the node printed when it
          started.
        </p>
      )}
    </ActDialog>
  );
}

function DrainNode({ node, onClose, onConfirm }: NodeAct) {
  const asked = useAsking();
  return (
    <ActDialog
      title={
        <>
          Drain <bdi>{node.name}</bdi>?
        </>
      }
      action="Drain node"
      asked={asked}
      onClose={onClose}
      onSubmit={() => void asked.run(onConfirm)}
    >
      <p className="soft">
        It ends what it runs and gets no more work. It stays connected, and you can let it work
        again.
      </p>
    </ActDialog>
  );
}

function RemoveNode({ node, onClose, onConfirm }: NodeAct) {
  const { isUnderWay, problem, run } = useAsking();
  return (
    <ConfirmName
      title={
        <>
          Remove <bdi>{node.name}</bdi>?
        </>
      }
      name={node.name}
      action="Remove node"
      stay="Keep the node"
      isUnderWay={isUnderWay}
      problem={problem}
      onClose={onClose}
      onConfirm={() => run(onConfirm)}
    >
      <p>
        Its key is refused for good, whatever evidence comes with it, and what it runs goes to
        others at once. Results that it has signed keep their proofs. To keep it from work for a
        while, drain it.
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
