/** The tasks of smoke tests, each with a small repo and a right outcome that is known beforehand. */
import type { ManifestRole } from "svc/features/harness/manifest_shape.ts";
import { ticketUse } from "svc/runtime/run/pick_ticket.ts";
import type { RunReport } from "svc/runtime/run/report_shape.ts";

type FileTexts = Readonly<Record<string, string>>;

interface SmokeTicket {
  readonly id: string;
  readonly title: string;
  readonly state: "backlog" | "review";
  readonly priority: "p1" | "p2" | "p3";
  readonly context: string;
  readonly acceptance: readonly string[];
  readonly depends_on?: readonly string[];
}

/** What a judge of a run looks at: the run's report, and the repo that it left. */
export interface SmokeSeen {
  readonly report: Pick<RunReport, "changed" | "checks" | "disposition" | "evidence"> & {
    readonly next: string;
  };
  /** Titles of tickets that were not there before. */
  readonly newTickets: readonly string[];
  /** A file on the branch of the role; undefined where it has none. */
  file(path: string): Promise<string | undefined>;
}

export interface SmokeCase {
  readonly id: string;
  /** In words, for a person. */
  readonly wanted: string;
  /** Beside or over the files of each case. */
  readonly files?: FileTexts;
  readonly tickets?: readonly SmokeTicket[];
  /** A person's commit on the branch of the first ticket. */
  readonly change?: { readonly files: FileTexts; readonly message: string };
  /** What to do, if no ticket says it. */
  readonly task?: string;
  /** What is wrong with the outcome; undefined for the right one. */
  judge(seen: SmokeSeen): string | undefined | Promise<string | undefined>;
}

const WRONG_SUM = "echo $(($1 - $2))\n";
const RIGHT_SUM = "echo $(($1 + $2))\n";
const EXPECTS = 'test "$(sh add.sh 1 2)" = 3';

export const SMOKE_CHECK = { name: "test", run: ["sh", "test.sh"] };

/** A shell is all that it needs. */
export const SMOKE_FILES: FileTexts = {
  "README.md": "# Sums\n\n`sh add.sh 1 2` prints the sum of two whole numbers, here 3.\n\n" +
    "Run the tests with `sh test.sh`.\n",
  "AGENTS.md": "# Sums\n\nA shell script, `add.sh`, and its test, `test.sh`.\n",
  "add.sh": WRONG_SUM,
  "test.sh": `${EXPECTS} || { echo "add.sh is wrong"; exit 1; }\n`,
};

const SUM_TICKET: SmokeTicket = {
  id: "T-0001",
  title: "Mend the sum",
  state: "backlog",
  priority: "p1",
  context: "`sh add.sh 1 2` prints -1. It must print the sum of its two arguments, which is 3.",
  acceptance: ["`sh add.sh 1 2` prints 3", "`sh test.sh` passes and still expects 3"],
};

/** The branch that svc gives the ticket. */
export const SUM_BRANCH = "svc/T-0001-mend-the-sum";

const ended = ({ report: { disposition, evidence } }: SmokeSeen) =>
  `it ended as ${disposition}: ${evidence}`;

const mend: SmokeCase = {
  id: "mend",
  wanted: "submitted, with the sum mended, the test as it was, and green checks",
  tickets: [SUM_TICKET],
  async judge(seen) {
    const { report: { disposition, checks } } = seen;
    if (disposition !== "submitted") return ended(seen);
    if (checks !== "passed") return `its checks are ${checks}`;
    if (await seen.file("add.sh") === WRONG_SUM) return "add.sh is as wrong as before";
    const test = await seen.file("test.sh") ?? "";
    return test.includes(EXPECTS) ? undefined : "it changed what the test expects";
  },
};

const approve: SmokeCase = {
  id: "approve",
  wanted: "approved: the change is right",
  tickets: [{ ...SUM_TICKET, state: "review" }],
  change: { files: { "add.sh": RIGHT_SUM }, message: "fix(sum): add, do not subtract" },
  judge: (seen) => seen.report.disposition === "approved" ? undefined : ended(seen),
};

const sendBack: SmokeCase = {
  id: "send_back",
  wanted: "changes_requested: the change makes the test expect the wrong sum",
  tickets: [{ ...SUM_TICKET, state: "review" }],
  change: {
    files: { "test.sh": SMOKE_FILES["test.sh"]!.replace("= 3", "= -1") },
    message: "fix(sum): make the test pass",
  },
  judge: (seen) => seen.report.disposition === "changes_requested" ? undefined : ended(seen),
};

const plan: SmokeCase = {
  id: "plan",
  wanted: "planned, with at least one ticket for what the README promises and the code lacks",
  files: {
    "add.sh": RIGHT_SUM,
    "README.md":
      `${SMOKE_FILES["README.md"]}\n\`sh multiply.sh 2 3\` prints the product, here 6. ` +
      "It is not written yet.\n",
  },
  judge(seen) {
    if (seen.report.disposition !== "planned") return ended(seen);
    return seen.newTickets.length > 0 ? undefined : "it wrote no ticket";
  },
};

const choose: SmokeCase = {
  id: "choose",
  wanted: "routed to T-0002: T-0001 waits for it, and T-0003 matters less",
  files: { "add.sh": RIGHT_SUM },
  tickets: [
    {
      ...SUM_TICKET,
      title: "Print sums of three numbers",
      context: "After T-0002: `sh add.sh 1 2 3` prints 6.",
      acceptance: ["`sh add.sh 1 2 3` prints 6"],
      depends_on: ["T-0002"],
    },
    {
      ...SUM_TICKET,
      id: "T-0002",
      title: "Refuse what is no number",
      priority: "p2",
      context: "`sh add.sh a b` must print an error and exit with 2.",
      acceptance: ["`sh add.sh a b` exits with 2"],
    },
    {
      ...SUM_TICKET,
      id: "T-0003",
      title: "Say in the README how to add negative numbers",
      priority: "p3",
      context: "The README has no example with a negative number.",
      acceptance: ["the README shows `sh add.sh 1 -2`"],
    },
  ],
  judge(seen) {
    if (seen.report.disposition !== "routed") return ended(seen);
    const chosen = /\bT-\d{4}\b/.exec(`${seen.report.next} ${seen.report.evidence}`)?.[0];
    return chosen === "T-0002" ? undefined : `it chose ${chosen ?? "no ticket"}`;
  },
};

const documents: SmokeCase = {
  id: "documents",
  wanted: "submitted, with the README naming test.sh; or reported, with a ticket",
  files: {
    "add.sh": RIGHT_SUM,
    "README.md": SMOKE_FILES["README.md"]!.replace("sh test.sh", "sh check.sh"),
  },
  task: "Check README.md: does each file that it names exist? Mend the README where it is wrong.",
  async judge(seen) {
    const { disposition } = seen.report;
    if (disposition === "reported") {
      return seen.newTickets.length > 0 ? undefined : "it reported without a ticket";
    }
    if (disposition !== "submitted") return ended(seen);
    const readme = await seen.file("README.md") ?? "";
    return readme.includes("test.sh") && !readme.includes("check.sh")
      ? undefined
      : "the README still names check.sh";
  },
};

/** Ends that a role chooses itself. */
const OWN_ENDS: readonly string[] = [
  ...["submitted", "approved", "changes_requested", "planned", "routed", "reported", "no_work"],
  "blocked",
];

const look: SmokeCase = {
  id: "look",
  wanted: "an end of its own, which names add.sh as the faulty file",
  task:
    "Change nothing. `sh test.sh` fails: find out by reading which file is at fault, and why. " +
    "Then finish, with the name of that file in the evidence.",
  judge(seen) {
    const { disposition, evidence } = seen.report;
    if (!OWN_ENDS.includes(disposition)) return ended(seen);
    return evidence.includes("add.sh")
      ? undefined
      : `its evidence does not name add.sh: ${evidence}`;
  },
};

/** What a role is for decides its tasks. In observer profile it can only look. */
export function casesFor(
  definition: Pick<ManifestRole, "routes">,
  profile: "observer" | "host",
): readonly SmokeCase[] {
  if (profile === "observer") return [look];
  const { routes } = definition;
  const use = ticketUse(definition);
  if (use === "judges") return [approve, sendBack];
  if (use === "works") return [mend];
  if (routes.planned !== undefined) return [plan];
  if (routes.routed !== undefined) return [choose];
  if (routes.submitted !== undefined) return [documents];
  return [look];
}
