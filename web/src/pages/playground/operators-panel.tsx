import "./operators-panel.css";
import { Button } from "../../components/button.tsx";
import { basicHelp, filterExamples, type OperatorHelp, operatorHelp } from "./operator-help.ts";

const groups: readonly { title: string; rows: readonly OperatorHelp[] }[] = [
  { title: "Words", rows: basicHelp },
  { title: "Operators", rows: Object.values(operatorHelp) },
  { title: "Kinds of posts", rows: filterExamples },
];

export function OperatorsPanel({
  onPick,
  onClose,
}: {
  onPick(example: string): void;
  onClose(): void;
}) {
  return (
    <section className="panel" aria-labelledby="operators">
      <div className="panel-head">
        <h2 id="operators" tabIndex={-1}>
          Operators
        </h2>
        <a className="small" href="/docs/query-language">
          Query language reference
        </a>
        <span className="push">
          <Button size="small" variant="plain" onClick={onClose}>
            Close
          </Button>
        </span>
      </div>
      <div className="panel-body operator-groups">
        {groups.map(({ title, rows }) => (
          <div key={title}>
            <h3>{title}</h3>
            <ul className="operators">
              {rows.map(({ example, meaning }) => (
                <li key={example}>
                  <button type="button" onClick={() => onPick(example)}>
                    <code>{example}</code>
                    <span>{meaning}</span>
                  </button>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </section>
  );
}
