/** The part of GitHub's API that svc uses, on loopback; its pull requests are plain data to change. */

export interface FixturePull {
  number: number;
  state: "open" | "closed";
  merged_at: string | null;
  merge_commit_sha?: string | null;
  draft: boolean;
  title: string;
  body: string;
  head: { ref: string; sha: string };
  base: { ref: string };
}

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: string;
}

export interface ApiFixture extends AsyncDisposable {
  readonly api: string;
  readonly pulls: FixturePull[];
  readonly seen: Seen[];
  /** Instead of the usual answer, once; undefined for the usual one. */
  next: ((asked: Seen) => Response | undefined | Promise<Response | undefined>) | undefined;
  posts(): readonly Seen[];
}

const json = (value: unknown, status = 200) =>
  new Response(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/json; charset=utf-8" },
  });

/** @param tip commit of a branch at the remote; the real one refuses a branch it does not have */
export function apiFixture(tip: (branch: string) => Promise<string>): ApiFixture {
  const pulls: FixturePull[] = [];
  const seen: Seen[] = [];
  async function answer(asked: Seen): Promise<Response> {
    const unusual = await fixture.next?.(asked);
    if (unusual !== undefined) {
      fixture.next = undefined;
      return unusual;
    }
    if (asked.path !== "/repos/ada/shop/pulls") return json({ message: "Not Found" }, 404);
    // As GitHub does, a branch that is open shows its present tip.
    for (const pull of pulls) if (pull.state === "open") pull.head.sha = await tip(pull.head.ref);
    if (asked.method === "GET") {
      const head = asked.query.get("head");
      return json(pulls.filter((pull) => `ada:${pull.head.ref}` === head).toReversed());
    }
    return await create(asked);
  }
  async function create({ body }: Seen): Promise<Response> {
    const { title, body: text, head, base, draft } = JSON.parse(body);
    const sha = await tip(head);
    const twin = pulls.some((pull) =>
      pull.head.ref === head && pull.base.ref === base && pull.state === "open"
    );
    if (sha === "" || twin) {
      const message = twin ? "A pull request already exists for ada:x." : "head is invalid";
      return json({ message: "Validation Failed", errors: [{ message }] }, 422);
    }
    const pull: FixturePull = {
      ...{ number: pulls.length + 12, state: "open", merged_at: null, draft, title, body: text },
      ...{ head: { ref: head, sha }, base: { ref: base } },
    };
    pulls.push(pull);
    return json(pull, 201);
  }
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname: path, searchParams: query } = new URL(request.url);
    const { method, headers } = request;
    const asked = { method, path, query, headers, body: await request.text() };
    seen.push(asked);
    return await answer(asked);
  });
  const fixture: ApiFixture = {
    api: `http://127.0.0.1:${server.addr.port}`,
    ...{ pulls, seen, next: undefined },
    posts: () => seen.filter(({ method }) => method === "POST"),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return fixture;
}
