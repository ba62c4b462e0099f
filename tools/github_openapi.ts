/**
 * Cuts the operations that svc uses out of GitHub's published description of its API, unchanged, with
 * all that they refer to: the whole package unpacks to 400 MB. Needs npm.
 */
const PACKAGE = "@octokit/openapi@23.0.2";
const FILE = "package/generated/api.github.com.json";
const OUT = new URL("../tests/kit/servers/github_openapi.json", import.meta.url);

const REPO = "/repos/{owner}/{repo}";
const USED: Readonly<Record<string, readonly string[]>> = {
  [`${REPO}/pulls`]: ["get", "post"],
  [`${REPO}/compare/{basehead}`]: ["get"],
  [`${REPO}/issues`]: ["get"],
  [`${REPO}/issues/{issue_number}`]: ["get"],
  [`${REPO}/collaborators/{username}/permission`]: ["get"],
  [`${REPO}/hooks`]: ["get"],
  [`${REPO}/hooks/{hook_id}/deliveries`]: ["get"],
  [`${REPO}/hooks/{hook_id}/deliveries/{delivery_id}/attempts`]: ["post"],
};

type Json = Record<string, unknown>;

async function published(): Promise<Json> {
  const folder = await Deno.makeTempDir();
  const sh = async (program: string, ...args: string[]) => {
    const { success, stdout, stderr } = await new Deno.Command(program, { args, cwd: folder })
      .output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout).trim();
  };
  try {
    const archive = await sh("npm", "pack", "--silent", PACKAGE);
    return JSON.parse(await sh("tar", "-xzOf", archive, FILE));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function* refsIn(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (key === "$ref") yield part as string;
    else yield* refsIn(part);
  }
}

const whole = await published();
const paths = Object.fromEntries(
  Object.entries(USED).map(([path, methods]) => {
    const there = (whole.paths as Record<string, Json>)[path]!;
    return [path, Object.fromEntries(methods.map((method) => [method, there[method]]))];
  }),
);
const components: Record<string, Json> = {};
const waiting = [...refsIn(paths)];
for (let ref = waiting.pop(); ref !== undefined; ref = waiting.pop()) {
  const [, , kind, name] = ref.split("/") as [string, string, string, string];
  components[kind] ??= {};
  if (Object.hasOwn(components[kind], name)) continue;
  const part = (whole.components as Record<string, Json>)[kind]![name];
  components[kind][name] = part;
  waiting.push(...refsIn(part));
}
const { openapi, info } = whole;
await Deno.writeTextFile(OUT, `${JSON.stringify({ openapi, info, paths, components })}\n`);
