/** A branch's pull requests at GitHub (docs.github.com/rest/pulls/pulls). */
import { Failure } from "svc/core/failure.ts";
import { z } from "svc/core/zod.ts";
import { codeHostApi, type CodeHostPlan, type CodeHostPorts } from "./code_host_api.ts";

export interface PullRequest {
  readonly number: number;
  readonly state: "open" | "closed";
  readonly merged: boolean;
  /** The commit that it became in the target branch: the merge, the squash, or the last commit of a rebase. */
  readonly mergedAs?: string;
  readonly commit: string;
  /** The branch that it is to be merged into; a person may change it. */
  readonly into: string;
}

interface DraftPlan {
  readonly branch: string;
  readonly into: string;
  readonly title: string;
  readonly body: string;
}

interface CodeHost {
  /** Newest first, into whichever branch, including merged and closed ones; at most 30. @throws Failure */
  pullRequests(branch: string): Promise<PullRequest[]>;
  /** Whether the first commit is in the history of the second; false for one that GitHub does not have. @throws Failure */
  isIn(commit: string, head: string): Promise<boolean>;
  /** @throws Failure `conflict` when GitHub refuses it, such as where one is open already */
  openDraft(plan: DraftPlan): Promise<PullRequest>;
}

const NEEDS = "read and write access to contents and pull requests";

const Commit = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

const Pull = z.object({
  number: z.int().positive(),
  state: z.enum(["open", "closed"]),
  merged_at: z.string().nullish(),
  merge_commit_sha: Commit.nullish(),
  head: z.object({ sha: Commit }),
  base: z.object({ ref: z.string() }),
});

/** How the second commit relates to the first. */
const Comparison = z.object({ status: z.enum(["ahead", "behind", "diverged", "identical"]) });

function pullRequest(
  { number, state, merged_at, merge_commit_sha: as, head, base }: z.infer<typeof Pull>,
): PullRequest {
  const merged = typeof merged_at === "string";
  const known = { number, state, merged, commit: head.sha, into: base.ref };
  // Before the merge, this field names a trial merge of GitHub's.
  return { ...known, ...(merged && as && { mergedAs: as }) };
}

export function codeHost(ports: CodeHostPorts, plan: CodeHostPlan): CodeHost {
  const ask = codeHostApi(ports, plan);
  const owner = plan.remote.split("/")[0];
  return {
    async pullRequests(branch) {
      const query = new URLSearchParams({
        state: "all",
        head: `${owner}:${branch}`,
        sort: "created",
        direction: "desc",
        per_page: "30",
      });
      const doing = `read the pull requests of "${branch}"`;
      const asked = { doing, path: `pulls?${query}`, shape: z.array(Pull), needs: NEEDS };
      return (await ask(asked)).data.map(pullRequest);
    },
    async isIn(commit, head) {
      const doing = `look for commit ${commit.slice(0, 12)}`;
      // Pages after the first list no files (docs.github.com/rest/commits/commits, "Compare two commits").
      const path = `compare/${commit}...${head}?per_page=1&page=2`;
      try {
        const { data } = await ask({ doing, path, shape: Comparison, needs: NEEDS });
        return data.status === "ahead" || data.status === "identical";
      } catch (thrown) {
        if (/\(404\)/.test(Failure.from(thrown).message)) return false;
        throw thrown;
      }
    },
    async openDraft({ branch, into, title, body }) {
      const draft = { title, body, head: branch, base: into, draft: true };
      const doing = `open a pull request for "${branch}"`;
      return pullRequest(
        (await ask({ doing, path: "pulls", body: draft, shape: Pull, needs: NEEDS })).data,
      );
    },
  };
}
