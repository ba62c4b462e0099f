/** Debian's nginx as a server of static files, whose answers to Range and If-Range are the measure. */
import { freePort } from "tests/kit/free_port.ts";
import { until } from "tests/kit/until.ts";

export interface NginxFiles extends AsyncDisposable {
  readonly port: number;
  readonly origin: string;
  /** Requests so far, once there are some: status, method and path, `Range` and `If-Range`. */
  log(least?: number): Promise<readonly string[]>;
}

const listening = (port: number) =>
  Deno.connect({ hostname: "127.0.0.1", port }).then((found) => (found.close(), true))
    .catch(() => false);

/** A certificate of its own for `name`, made by openssl(1). */
export async function certificateFor(name: string, folder: string) {
  const [certificate, key] = [`${folder}/${name}.cert`, `${folder}/${name}.key`];
  const { success, stderr } = await new Deno.Command("openssl", {
    args: [
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${name}`],
      ...["-addext", `subjectAltName=DNS:${name}`, "-addext", "basicConstraints=critical,CA:FALSE"],
      ...["-keyout", key, "-out", certificate],
    ],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return { certificate, key };
}

/** Serves `root`; `rules` stand in the server's block (https://nginx.org/en/docs/http/ngx_http_core_module.html). */
export async function nginxFiles(
  folder: string,
  root: string,
  rules = "",
  tls?: { readonly certificate: string; readonly key: string },
): Promise<NginxFiles> {
  const port = freePort();
  const at = `${folder}/nginx-${port}`;
  await Deno.mkdir(at);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${at}/${name};`).join(" ");
  const ssl = tls && `ssl_certificate ${tls.certificate}; ssl_certificate_key ${tls.key};`;
  const text = `
daemon off; master_process off; error_log stderr; pid ${at}/pid;
events {}
http {
  log_format asked escape=none '$status $request_method $uri $http_range $http_if_range';
  access_log ${at}/log asked;
  keepalive_timeout 0; absolute_redirect off;
  ${temporary}
  server { listen 127.0.0.1:${port}${ssl ? " ssl" : ""}; ${ssl ?? ""} root ${root}; ${rules} }
}
`;
  await Deno.writeTextFile(`${at}/conf`, text);
  const nginx = new Deno.Command("/usr/sbin/nginx", {
    args: ["-p", at, "-c", `${at}/conf`],
    ...{ stdin: "null", stdout: "null", stderr: "null" } as const,
  }).spawn();
  await until(() => listening(port), () => "no nginx that listens");
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    async log(least = 1) {
      const lines = async () =>
        (await Deno.readTextFile(`${at}/log`)).split("\n").filter((line) => line !== "");
      // It writes a line when the answer has been sent.
      await until(async () => (await lines()).length >= least, () => "fewer requests in its log");
      return await lines();
    },
    async [Symbol.asyncDispose]() {
      nginx.kill("SIGTERM");
      await nginx.status;
    },
  };
}
