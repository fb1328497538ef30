import { mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openCatalog } from "../src/archive/open-catalog.ts";
import { readUriKey } from "../src/archive/catalog.ts";
import { startPreparation } from "../src/archive/prepare.ts";
import { createBatchWriter } from "../src/archive/write-batch.ts";
import { readImportRecord, toPost } from "../src/ingest/import-record.ts";
import { indexTerms } from "../src/posts/terms.ts";
import { encodeRecord } from "../src/posts/record.ts";
import { iraPosts, toRecord } from "./ira.ts";
const N = 60000;
const lines: string[] = [];
for await (const p of iraPosts()) { lines.push(JSON.stringify(toRecord(p))); if (lines.length >= N) break; }
const cpu = () => { const u = process.cpuUsage(); return u.user + u.system; };
const stage = <T>(name: string, f: () => T): T => { const a = cpu(); const v = f(); console.log(name.padEnd(28), ((cpu() - a) / N).toFixed(2), "us/post"); return v; };
for (let round = 0; round < 1; round++) {
const objs = stage("JSON.parse", () => lines.map((l) => JSON.parse(l)));
const records = stage("readImportRecord", () => objs.map((o) => readImportRecord(o)));
const posts = stage("toPost", () => records.map((r) => toPost(r, "x", Date.now())));
stage("indexTerms", () => posts.forEach((p) => indexTerms(p)));
stage("indexTerms.join", () => posts.forEach((p) => indexTerms(p).join(" ")));
stage("encodeRecord", () => posts.forEach((p) => encodeRecord(p, p.createdMs ?? 0)));
const root = mkdtempSync(join(tmpdir(), "w-")); const folder = join(root, "archive"); mkdirSync(folder);
const catalog = openCatalog(folder); const key = readUriKey(catalog);
const batches = stage("prepare (all)", () => { const out = []; for (let i = 0; i < N; i += 1000) { const pr = startPreparation(key, Date.now()); for (const post of posts.slice(i, i + 1000)) pr.add({ kind: "upsert", post }); out.push(pr.prepared()); } return out; });
stage("structuredClone prepared", () => batches.forEach((b) => structuredClone(b)));
const bytes = batches.reduce((s, b) => s + b.changes.reduce((t, c: any) => t + c.record.length, 0), 0);
const tb = batches.reduce((s, b) => s + b.changes.reduce((t, c: any) => t + c.terms.length, 0), 0);
const nt = batches.reduce((s, b) => s + b.changes.reduce((t, c: any) => t + c.terms.split(" ").length, 0), 0);
console.log("record chars", bytes / N, "terms chars", tb / N, "terms", nt / N);
const writer = createBatchWriter(folder, catalog, { segmentPosts: 1_000_000, maxBytes: 1e12 });
stage("write", () => batches.forEach((b) => writer.write({ ...b, checkpoints: [], coverage: [] })));
writer.close();
const db = new DatabaseSync(join(folder, "x", "000001.db"));
db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
try { console.log(db.prepare("SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name").all().map((r: any) => `${r.name} ${(r.bytes / N).toFixed(1)}`).join(", ")); } catch (e) { console.log(String(e)); }
db.close();
// raw fts only, various settings
if (false) for (const [name, setup, detail] of [["fts default", "", "full"], ["fts automerge=0", "INSERT INTO t(t,rank) VALUES('automerge',0)", "full"], ["fts crisis 64", "INSERT INTO t(t,rank) VALUES('automerge',16)", "full"], ["fts detail none", "", "none"]] as const) {
  const d = new DatabaseSync(join(root, `raw-${name.replaceAll(" ", "-")}.db`)); d.exec("PRAGMA page_size=8192; PRAGMA journal_mode=WAL; PRAGMA cache_size=-32000");
  d.exec(`CREATE VIRTUAL TABLE t USING fts5(terms, content='', contentless_delete=1, detail=${detail}, tokenize="ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\\]^_\`{|}~'")`); d.exec("INSERT INTO t(t,rank) VALUES('hashsize',8388608)"); if (setup) d.exec(setup);
  const ins = d.prepare("INSERT INTO t(rowid,terms) VALUES(?,?)");
  stage(name, () => batches.forEach((b) => { d.exec("BEGIN"); for (const c of (b.changes as any[]).toSorted((x, y) => (x.id < y.id ? -1 : 1))) ins.run(c.id, c.terms); d.exec("COMMIT"); }));
  d.close();
}
rmSync(root, { recursive: true });
}
