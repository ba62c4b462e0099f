/** The controls of the service: each says what it does before it is confirmed. */
import { act, type ControlAnswer } from "./api.ts";
import { jobHref } from "./place.ts";
import type { Notice } from "./notices.ts";
import { shortId } from "./words.ts";

/** Those of one machine of a team. */
export type NodeControlKey = "pause-node" | "drain-node" | "stop-node" | "resume-node";

export type ControlKey =
  | "pause"
  | "resume"
  | "scan"
  | "run-role"
  | "restart"
  | "stop"
  | "emergency-stop"
  | "cancel-job"
  | "retry-job"
  | "answer-ticket"
  | "tell-job"
  | NodeControlKey;

export interface Control {
  readonly key: ControlKey;
  readonly verb: string;
  readonly name: string;
  readonly about: string;
  readonly needs: readonly (
    | "repo_id"
    | "ticket_id"
    | "role"
    | "job_id"
    | "answer"
    | "note"
    | "node"
  )[];
  /** What a person writes, one among `needs` or one that may be left out, and how it is called. */
  readonly writes?: { readonly field: "answer" | "note" | "reason"; readonly label: string };
  readonly harsh?: boolean;
  readonly shortcut?: string;
  done(answer: ControlAnswer, asked: Readonly<Record<string, string>>): Omit<Notice, "id" | "tone">;
}

const says = (text: string) => () => ({ text });
const NODE_REASON = {
  field: "reason",
  label: "Why, shown with the node (may be left out)",
} as const;

export const CONTROLS: Readonly<Record<ControlKey, Control>> = {
  pause: {
    key: "pause",
    verb: "Pause",
    name: "Pause",
    about: "No new job starts in any process on this database. Running jobs go on to their end.",
    needs: [],
    shortcut: "p",
    done: says("Paused. Running jobs go on; no new one starts."),
  },
  resume: {
    key: "resume",
    verb: "Resume",
    name: "Resume",
    about: "Jobs that are due start again, oldest first.",
    needs: [],
    shortcut: "p",
    done: says("Resumed. Jobs that are due start now."),
  },
  scan: {
    key: "scan",
    verb: "Scan",
    name: "Scan a repo",
    about: "Looks at the repo's committed files for gaps. As host, what it finds becomes tickets.",
    needs: ["repo_id"],
    shortcut: "s",
    done: (answer) => ({ text: scanned(answer) }),
  },
  "run-role": {
    key: "run-role",
    verb: "Run role",
    name: "Run a role",
    about: "Queues one run of the role by the repo's manifest as it is now.",
    needs: ["repo_id", "role"],
    shortcut: "r",
    done: (answer, { role }) => {
      const job = typeof answer.job_id === "string" ? answer.job_id : undefined;
      const text = answer.existed === true ? `${role} is queued already.` : `${role} is queued.`;
      return job === undefined
        ? { text }
        : { text, link: { href: jobHref(job), text: `Job ${shortId(job)}` } };
    },
  },
  restart: {
    key: "restart",
    verb: "Restart",
    name: "Restart the workers",
    about:
      "Workers stop after giving their jobs back, manifests and triggers are read again, workers start. This page stays connected.",
    needs: [],
    done: says("Restarting. Jobs that were given back start again."),
  },
  stop: {
    key: "stop",
    verb: "Stop the service",
    name: "Stop",
    about:
      "The service ends in good order: jobs are given back and go on after the next start. This page then loses its connection.",
    needs: [],
    harsh: true,
    done: says("Stopping. This page will lose its connection."),
  },
  "emergency-stop": {
    key: "emergency-stop",
    verb: "End everything now",
    name: "Emergency stop",
    about:
      "All that runs is ended within seconds and claims are paused. The service stays up, so that you can look; work goes on after Resume.",
    needs: [],
    harsh: true,
    done: says("Everything that ran is being ended; claims are paused."),
  },
  "cancel-job": {
    key: "cancel-job",
    verb: "Stop this job",
    name: "Stop a job",
    about: "If it runs, it is ended; if it waits, it never starts. Its ticket stays where it is.",
    needs: ["job_id"],
    writes: { field: "reason", label: "Why, kept with the job (may be left out)" },
    harsh: true,
    done: says("The job is being stopped."),
  },
  "retry-job": {
    key: "retry-job",
    verb: "Run it again",
    name: "Run a job again",
    about:
      "Queues the same role for the same work once more, from the same inputs. The job that ended stays as it is.",
    needs: ["job_id"],
    done: (answer) => {
      const job = typeof answer.job_id === "string" ? answer.job_id : "";
      const text = answer.existed === true ? "It is queued again already." : "It is queued again.";
      return { text, link: { href: jobHref(job), text: `Job ${shortId(job)}` } };
    },
  },
  "answer-ticket": {
    key: "answer-ticket",
    verb: "Answer",
    name: "Answer a question",
    about:
      "The answer is kept in the ticket, which goes back to the backlog; its next role reads it.",
    needs: ["repo_id", "ticket_id", "job_id", "answer"],
    writes: { field: "answer", label: "Answer" },
    done: says("Answered. The ticket is in the backlog again."),
  },
  "tell-job": {
    key: "tell-job",
    verb: "Tell it",
    name: "Tell a running job",
    about:
      "Its role reads the note before its next turn. If the job ends first, the ticket's next job reads it.",
    needs: ["job_id", "note"],
    writes: { field: "note", label: "Note" },
    done: says("Told. The role reads it before its next turn."),
  },
  "pause-node": {
    key: "pause-node",
    verb: "Pause this node",
    name: "Pause a node",
    about:
      "It starts no new job until it is resumed, also after a restart. Its running jobs go on to their end.",
    needs: ["node"],
    writes: NODE_REASON,
    done: (_, { node }) => ({ text: `${node} is paused; it hears of it within 5 seconds.` }),
  },
  "drain-node": {
    key: "drain-node",
    verb: "Drain this node",
    name: "Drain a node",
    about:
      "It starts no new job, says when its running ones have ended, and stays up. After a restart it works again.",
    needs: ["node"],
    writes: NODE_REASON,
    done: (_, { node }) => ({ text: `${node} drains; it hears of it within 5 seconds.` }),
  },
  "stop-node": {
    key: "stop-node",
    verb: "Stop this node",
    name: "Stop a node",
    about:
      "Its service ends in good order: jobs that do not end within 30 seconds are given back. Nothing here starts it again: that is done at its machine.",
    needs: ["node"],
    writes: NODE_REASON,
    harsh: true,
    done: (_, { node }) => ({ text: `${node} stops; it hears of it within 5 seconds.` }),
  },
  "resume-node": {
    key: "resume-node",
    verb: "Resume this node",
    name: "Resume a node",
    about: "It starts jobs that are due again.",
    needs: ["node"],
    done: (_, { node }) => ({ text: `${node} works again within 5 seconds.` }),
  },
};

function scanned(answer: ControlAnswer): string {
  const number = (name: string) => typeof answer[name] === "number" ? answer[name] : undefined;
  const findings = number("findings");
  if (findings === undefined) return "The scan is done.";
  const created = number("created") ?? 0;
  const known = number("deduplicated") ?? 0;
  return `Scanned: ${findings} found, ${created} new tickets, ${known} known already.`;
}

/** @throws {import("./api.ts").ServiceRefusal | import("./api.ts").Unreached} */
export function perform(
  control: Control,
  given: Readonly<Record<string, string>>,
): Promise<ControlAnswer> {
  return act(`/api/${control.key}`, control.needs.length === 0 ? undefined : given);
}
