/** GitHub Enterprise Server on loopback: its API by the published description, and pushes to git's own server. */
import { gitHttpBackend } from "tests/kit/git_http_backend.ts";
import { mergeOnHost, type MergeWay } from "tests/kit/merge_on_host.ts";
import { plainGit, tempFolder } from "tests/kit/temp_repo.ts";
import { type AskedOfApi, type Operation, operationOf } from "./github_rules.ts";

export interface GithubPull {
  number: number;
  state: "open" | "closed";
  merged_at: string | null;
  merge_commit_sha?: string | null;
  readonly draft: boolean;
  readonly title: string;
  readonly body: string;
  readonly branch: string;
  readonly into: string;
  sha: string;
}

export interface GithubIssue {
  readonly number: number;
  readonly title: string;
  /** The author's login; else the one of the published example. */
  readonly by?: string;
  labels: readonly string[];
  state: "open" | "closed";
  updated_at: string;
  closed_at?: string;
  /** Set where it was moved to another repo, or is gone. */
  answer?: 301 | 404 | 410;
}

export interface GithubDelivery {
  readonly id: number;
  readonly guid: string;
  readonly status_code: number;
  readonly delivered_at: string;
  readonly event: string;
  readonly action: string | null;
  readonly redelivery?: boolean;
}

export interface GithubServer extends AsyncDisposable {
  /** `127.0.0.1:<port>`. */
  readonly host: string;
  readonly api: string;
  readonly remote: "ada/shop";
  readonly pulls: GithubPull[];
  readonly issues: GithubIssue[];
  readonly hooks: { readonly id: number; readonly url: string; readonly active?: boolean }[];
  /** Newest first, as GitHub lists them. */
  readonly deliveries: GithubDelivery[];
  /** The permission of each account; others can read. */
  readonly permissions: Map<string, "admin" | "write" | "read" | "none">;
  /** Deliveries that were asked for once more, by the id of the earlier one. */
  readonly redelivered: number[];
  /** Requests and answers that are not as the description says. */
  readonly faults: string[];
  readonly asked: AskedOfApi[];
  /** At most so many items a page, whatever is asked for. */
  perPage: number;
  /** Instead of the usual answer; undefined for the usual one. */
  unusual: ((operation: Operation, asked: AskedOfApi) => Response | undefined) | undefined;
  /** Answers what git asks for in place of its own server. */
  pushes?: () => Response;
  /** Commit of a branch that was pushed; empty without one. */
  tip(branch: string): Promise<string>;
  /** A person presses its button. */
  merge(pull: GithubPull, way: MergeWay): Promise<void>;
  /** How the second commit stands to the first; undefined where it has not both. */
  standing(base: string, head: string): Promise<"ahead" | "diverged" | undefined>;
}

type Answer = readonly [status: number, body: unknown, headers?: Record<string, string>];

/** GitHub's words where one is open already. */
export const EXISTS: Answer = [422, {
  message: "Validation Failed",
  errors: [{
    resource: "PullRequest",
    code: "custom",
    message: "A pull request already exists for ada:svc.",
  }],
  documentation_url: "https://docs.github.com/rest/pulls/pulls#create-a-pull-request",
}];

const refused = (message: string) => ({ message, documentation_url: "https://docs.github.com" });

function pullAs(example: Record<string, unknown>, pull: GithubPull) {
  const { number, state, merged_at, merge_commit_sha = null, draft, title, body } = pull;
  const { branch, into, sha } = pull;
  return {
    ...example,
    ...{ number, state, merged_at, merge_commit_sha, draft, title, body },
    requested_teams: [], // the published example lacks what the description requires of one
    head: { ...example.head as object, ref: branch, sha },
    base: { ...example.base as object, ref: into },
  };
}

function issueAs(example: Record<string, unknown>, issue: GithubIssue, web: string) {
  const { number, title, by, labels, state, updated_at, closed_at = null } = issue;
  const [label] = (example.labels ?? []) as object[];
  const { pull_request: _, ...plain } = example;
  return {
    ...plain,
    ...{ number, title, state, updated_at, closed_at },
    ...{ html_url: `${web}/ada/shop/issues/${number}` },
    ...(by !== undefined && { user: { ...example.user as object, login: by } }),
    labels: labels.map((name) => ({ ...label, name })),
  };
}

async function opened(server: GithubServer, body: string): Promise<GithubPull | undefined> {
  const { title, body: text, head, base, draft } = JSON.parse(body);
  const twin = server.pulls.some(({ branch, into, state }) =>
    branch === head && into === base && state === "open"
  );
  const sha = await server.tip(head);
  if (twin || sha === "") return undefined;
  const pull: GithubPull = {
    ...{ number: server.pulls.length + 12, state: "open", merged_at: null, draft: draft === true },
    merge_commit_sha: null,
    ...{ title, body: text, branch: head, into: base, sha },
  };
  server.pulls.push(pull);
  return pull;
}

async function answerTo(
  server: GithubServer,
  { id, args, example }: Operation,
  { query, body }: AskedOfApi,
): Promise<Answer> {
  const web = `http://${server.host}`;
  switch (id) {
    case "pulls/list": {
      const [one] = example(200);
      const found = server.pulls.filter(({ branch }) => `ada:${branch}` === query.get("head"));
      // A branch that is open shows its present tip.
      for (const pull of found) if (pull.state === "open") pull.sha = await server.tip(pull.branch);
      return [200, found.toReversed().map((pull) => pullAs(one, pull))];
    }
    case "pulls/create": {
      const pull = await opened(server, body);
      return pull === undefined ? EXISTS : [201, pullAs(example(201), pull)];
    }
    case "repos/compare-commits-with-basehead": {
      const [base = "", head = ""] = args.basehead!.split("...");
      const status = await server.standing(base, head);
      return status === undefined
        ? [404, refused("Not Found")]
        : [200, { ...example(200), status, files: undefined }];
    }
    case "issues/list-for-repo": {
      const [one] = example(200);
      const wanted = (query.get("labels") ?? "").split(",");
      const found = server.issues.filter(({ labels, state, answer }) =>
        answer === undefined && state === query.get("state") &&
        wanted.every((name) => labels.includes(name))
      );
      return paged(server, found.map((issue) => issueAs(one, issue, web)), query, "page");
    }
    case "issues/get": {
      const issue = server.issues.find(({ number }) => String(number) === args.issue_number);
      const { answer = 404 } = issue ?? {};
      if (issue === undefined || issue.answer !== undefined) return [answer, refused("Not Found")];
      return [200, issueAs(example(200), issue, web)];
    }
    case "repos/get-collaborator-permission-level": {
      const login = args.username!;
      const permission = server.permissions.get(login) ?? "read";
      const shown = example(200);
      // The published example lacks the role that the description requires of a user.
      const user = { ...shown.user as object, login, role_name: permission };
      return [200, { ...shown, permission, role_name: permission, user }];
    }
    case "repos/list-webhooks": {
      const [one] = example(200);
      return [
        200,
        server.hooks.map(({ id, url, active = true }) => ({
          ...{ ...one, id, active },
          config: { ...one.config, url },
        })),
      ];
    }
    case "repos/list-webhook-deliveries": {
      const [one] = example(200);
      const shown = server.deliveries.map((delivery) => {
        const ok = delivery.status_code >= 200 && delivery.status_code < 300;
        return { ...one, redelivery: false, status: ok ? "OK" : "Bad Gateway", ...delivery };
      });
      return paged(server, shown, query, "cursor");
    }
    case "repos/redeliver-webhook-delivery":
      server.redelivered.push(Number(args.delivery_id));
      return [202, {}];
    default:
      throw new Error(`no answer to ${id}`);
  }
}

/** The address of the next page is not svc's to follow (RFC 8288). @param by the parameter that names a page */
function paged(
  { api, perPage }: GithubServer,
  all: readonly unknown[],
  query: URLSearchParams,
  by: "page" | "cursor",
): Answer {
  const size = Math.min(Number(query.get("per_page") ?? 30), perPage);
  const page = Number(query.get(by) ?? 1);
  const next = new URLSearchParams(query);
  next.set(by, String(page + 1));
  const link = `<${api.replace("127.0.0.1", "elsewhere.example")}/x?${next}>; rel="next"`;
  const more = all.length > page * size;
  return [200, all.slice((page - 1) * size, page * size), more ? { link } : {}];
}

async function apiAnswer(server: GithubServer, asked: AskedOfApi): Promise<Response> {
  const { operation, faults } = operationOf(asked);
  server.faults.push(...faults);
  if (operation === undefined) return Response.json(refused("Not Found"), { status: 404 });
  const unusual = server.unusual?.(operation, asked);
  if (unusual !== undefined) return unusual;
  const [status, body, headers] = await answerTo(server, operation, asked);
  server.faults.push(...operation.answerFaults(status, body));
  const type = "application/json; charset=utf-8";
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": type, ...headers },
  });
}

export async function githubServer(): Promise<GithubServer> {
  const root = await tempFolder();
  const bare = `${root.path}/ada/shop.git`;
  await Deno.mkdir(bare, { recursive: true });
  await plainGit(bare, ["init", "--quiet", "--bare", "."]);
  const listener = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { pathname, searchParams: query } = new URL(request.url);
      if (!pathname.startsWith("/api/v3/")) {
        return server.pushes?.() ?? await gitHttpBackend(request, root.path);
      }
      const { method, headers } = request;
      const path = pathname.slice("/api/v3".length);
      const asked = { method, path, query, headers, body: await request.text() };
      server.asked.push(asked);
      return await apiAnswer(server, asked);
    },
  );
  const host = `127.0.0.1:${listener.addr.port}`;
  const server: GithubServer = {
    ...{ host, api: `http://${host}/api/v3`, remote: "ada/shop", unusual: undefined, perPage: 100 },
    permissions: new Map(),
    ...{ pulls: [], issues: [], hooks: [], deliveries: [], redelivered: [], faults: [], asked: [] },
    async standing(base, head) {
      const args = ["merge-base", "--is-ancestor", base, head];
      // 128: one of them is no commit here (git-merge-base(1)).
      const { code } = await plainGit(bare, args);
      return code === 0 ? "ahead" : code === 1 ? "diverged" : undefined;
    },
    tip: async (branch) =>
      (await plainGit(bare, ["rev-parse", "--verify", "--quiet", branch])).stdout.trim(),
    async merge(pull, way) {
      const merge_commit_sha = await mergeOnHost(bare, { ...pull, way });
      Object.assign(pull, { state: "closed", merged_at: new Date().toISOString() });
      Object.assign(pull, { merge_commit_sha });
    },
    async [Symbol.asyncDispose]() {
      await listener.shutdown();
      await root[Symbol.asyncDispose]();
    },
  };
  return server;
}
