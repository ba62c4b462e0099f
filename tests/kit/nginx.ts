/** Debian's nginx as a reverse proxy with a certificate of its own, and programs that are run to their end. */
import { freePort } from "./free_port.ts";
import { tempFolder } from "./temp_repo.ts";
import { until } from "./until.ts";

/** Standard output. @throws Error with standard error when it fails */
export async function ran(program: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args }).output();
  if (!success) throw new Error(`${program}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

/** Writes `cert` and `key` into the folder. @param more options of openssl-req(1); Deno's client wants CA:FALSE */
export async function certify(folder: string, name: string, ...more: string[]): Promise<void> {
  await ran(
    ...["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"] as const,
    ...["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`],
    ...more,
    ...["-keyout", `${folder}/key`, "-out", `${folder}/cert`],
  );
}

/** `http` is what stands in that block. Resolves when it listens on the port. */
export async function nginx(
  folder: string,
  { http, port }: { readonly http: string; readonly port: number },
): Promise<AsyncDisposable> {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`).join(" ");
  await Deno.writeTextFile(
    `${folder}/conf`,
    `daemon off; master_process off; error_log stderr; pid ${folder}/pid;
events {}
http { access_log off; ${temporary} ${http} }
`,
  );
  const program = new Deno.Command("/usr/sbin/nginx", {
    args: ["-p", folder, "-c", `${folder}/conf`],
    ...{ stdin: "null", stdout: "null", stderr: "null" } as const,
  }).spawn();
  await until(
    () =>
      Deno.connect({ hostname: "127.0.0.1", port }).then((found) => (found.close(), true))
        .catch(() => false),
    () => "no nginx that listens",
  );
  return {
    async [Symbol.asyncDispose]() {
      program.kill("SIGTERM");
      await program.status;
    },
  };
}

export interface Proxied extends AsyncDisposable {
  /** Plain http on loopback. */
  readonly url: string;
  /** The same with TLS, and what curl needs to believe it. */
  readonly tls: { readonly url: string; readonly curl: readonly string[] };
}

/** As nginx does by default, the upstream gets its own address as `Host`. */
export async function proxied(upstream: string): Promise<Proxied> {
  const folder = await tempFolder();
  const name = "collect.example.com";
  const [plain, secure] = [freePort(), freePort()];
  await certify(folder.path, name);
  const server = await nginx(folder.path, {
    port: secure,
    http: `server {
  listen 127.0.0.1:${plain}; listen 127.0.0.1:${secure} ssl;
  ssl_certificate ${folder.path}/cert; ssl_certificate_key ${folder.path}/key;
  location / { proxy_pass ${upstream}; }
}`,
  });
  return {
    url: `http://127.0.0.1:${plain}`,
    tls: {
      url: `https://${name}:${secure}`,
      curl: ["--cacert", `${folder.path}/cert`, "--resolve", `${name}:${secure}:127.0.0.1`],
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
