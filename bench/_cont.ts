import { contended, bareQueue } from "file:///work/main/bench/contention.ts";
import { openStore } from "svc/store/open.ts";
import { enqueue } from "svc/features/jobs/job_store.ts";
import { denoFiles } from "svc/platform/files.ts";
import { systemClock } from "svc/platform/clock.ts";
import { asked } from "tests/unit/features/jobs/sample_job.ts";
const jobs = Number(Deno.args[0] ?? 10000); const procs = Number(Deno.args[2] ?? 4);
const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-bench-" }));
const f=(o:Record<string,number>)=>Object.entries(o).map(([k,v])=>k+" "+v.toFixed(2)).join("  ");
for (let r = 0; r < Number(Deno.args[1] ?? 1); r++) {
  if (Deno.args[3] !== "svc") { bareQueue(`${folder}/bare${r}.db`, jobs).close(); console.log("bare", f(await contended("bare", `${folder}/bare${r}.db`, procs) as never)); }
  { await using store = await openStore({files: denoFiles(), clock: systemClock}, `${folder}/${r}/svc.db`);
    await store.db.transaction().execute(async t => { for (let n=0;n<jobs;n++) await enqueue(t, asked({parallel:true}), n+1); }); }
  console.log("svc ", f(await contended("svc", `${folder}/${r}/svc.db`, procs) as never), "wal", (await Deno.stat(`${folder}/${r}/svc.db-wal`).catch(()=>({size:0}))).size);
}
await Deno.remove(folder, {recursive:true});
