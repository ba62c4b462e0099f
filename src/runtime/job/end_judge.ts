/**
 * Judges the end that a role reports by what svc itself sees: during the run, while the role can still mend its
 * work, or after it.
 */
import { commitSubject } from "svc/core/commit_text.ts";
import type { Trace } from "svc/features/agent/agent.ts";
import type { Stop } from "svc/features/agent/stop.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { provenCommit } from "svc/features/jobs/job_views.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { startable } from "svc/features/routing/choose.ts";
import { gate } from "svc/features/routing/gates.ts";
import { acceptanceLines } from "svc/features/tickets/acceptance.ts";
import type { ReportedEnd } from "svc/features/tools/tool.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { Session } from "svc/runtime/session/session.ts";
import { pullOf } from "./decision_record.ts";
import { summaryIn } from "./earlier_work.ts";
import type { JobTicket } from "./job_ticket.ts";
import type { JobTree } from "./job_tree.ts";
import { type Proof, prove, type Work } from "./prove.ts";
import { proveEnd, type ProvenEnd } from "./unfinished.ts";

interface JudgedWork {
  readonly job: Job;
  readonly ticket: JobTicket | undefined;
  /** What a person asked for, if there is no ticket. */
  readonly task: string | undefined;
  readonly tree: JobTree;
  readonly manifest: Manifest;
  readonly session: Pick<Session, "session" | "toolbox">;
  readonly trace: Trace;
  /** The role may end with `submitted`. */
  readonly handsIn: boolean;
  readonly signal: AbortSignal;
  progress(text: string): void;
}

export class EndJudge {
  #last: { readonly proof: Proof } | { readonly thrown: unknown } | undefined;

  constructor(
    readonly ports: RuntimePorts,
    readonly repo: Repo,
    readonly work: JudgedWork,
  ) {}

  /**
   * Undefined if nothing is missing, or if the role cannot mend what is. @throws the reason of the work's
   * signal
   */
  async missing(end: ReportedEnd): Promise<string | undefined> {
    let proof: Proof;
    try {
      const { disposition } = end;
      proof = await prove(this.ports, this.repo, { ...await this.#work(end), disposition });
    } catch (thrown) {
      this.work.signal.throwIfAborted();
      // A failure of the machine, such as a check that cannot start: it ends the job just as it would after the
      // run.
      this.#last = { thrown };
      return undefined;
    }
    this.#last = { proof };
    const why = await this.#refusal(end, proof);
    await this.work.trace.write("proof", { ...proof, ...(why !== undefined && { refused: why }) });
    return why === undefined ? undefined : told(why, proof);
  }

  /** Looks again, unless the run ended with a finish that was judged already. @throws as `proveEnd` */
  async ended(end: Stop): Promise<ProvenEnd> {
    if (end.judged && this.#last !== undefined) {
      if ("thrown" in this.#last) throw this.#last.thrown;
      return { end, proof: this.#last.proof };
    }
    const { ports, repo, work } = this;
    const summary = () => summaryIn(ports, work.trace.path);
    const { session: { session }, handsIn } = work;
    const left = { ...await this.#work(end), session, handsIn, summary };
    const proven = await proveEnd(ports, repo, left, end);
    await work.trace.write("proof", { ...proven.proof });
    return proven;
  }

  async #work({ evidence }: Pick<Stop, "evidence">): Promise<Omit<Work, "disposition">> {
    const { ports: { db }, repo, work } = this;
    const { job, ticket, task, tree, manifest, signal, session: { session, toolbox } } = work;
    return {
      ...{ job: job.id, role: job.role, tree, manifest, signal, toolbox },
      progress: (text) => work.progress(text),
      hookFolders: session.hookFolders ?? [],
      acceptance: ticket === undefined
        ? (task ?? "").split("\n")
        : acceptanceLines(ticket.facts, ticket.text),
      message: commitSubject("feat", session.redact(ticket?.facts.title ?? task ?? evidence)),
      proven: ticket && await provenCommit(db, repo.id, ticket.facts.id),
    };
  }

  async #refusal(end: ReportedEnd, proof: Proof): Promise<string | undefined> {
    const { ports: { profile }, repo, work: { job } } = this;
    const planned = end.disposition !== "planned" ||
      startable((await repo.tickets.list()).tickets).length > 0;
    // The role sees more lines of each output than the ticket holds.
    const { checkOutput: _, ...seen } = proof;
    const { disposition, refused } = gate({
      ...{ ...seen, ...end, role: job.role, profile, planned },
      ...pullOf(job),
    });
    // Commits by somebody else need a person: the role can mend nothing here.
    return disposition === "blocked" ? undefined : refused?.why;
  }
}

function told(why: string, { tails, redBefore }: Proof): string {
  return [
    `Not finished: ${why}.`,
    ...(redBefore.length === 0 ? [] : [
      `Red before your work too, and not yours to mend: ${redBefore.join(", ")}.`,
    ]),
    "What counts is what svc sees. Mend what is missing and call finish again, or finish with the disposition " +
    "that is true now. When finish is refused a second time, the job ends as it is.",
    ...(tails === "" ? [] : [tails]),
  ].join("\n");
}
