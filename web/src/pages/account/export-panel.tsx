export function ExportPanel() {
  return (
    <section className="panel" aria-labelledby="export">
      <ul className="list">
        <li>
          <div>
            <h2 id="export">Export everything</h2>
            <p>
              Account, keys and credentials (not their secrets), webhooks, jobs, results, usage,
              request logs and the audit log of your account, as one file of JSON lines.
            </p>
          </div>
          <a className="button" href="/dashboard/api/account/export" download>
            Download export
          </a>
        </li>
      </ul>
    </section>
  );
}
