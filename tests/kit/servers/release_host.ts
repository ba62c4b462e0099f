/** A code host with one release, served by Debian's nginx; the release is GitHub's own example (@octokit/webhooks-examples). */
import examples from "@octokit/webhooks-examples" with { type: "json" };
import { type NginxFiles, nginxFiles } from "./nginx_files.ts";

export const RIGHT_TOKEN = "right-token-0123456789";

/** Tag of GitHub's example. */
export const EXAMPLE_TAG = "0.0.1";

const asking = (root: string, status: number) =>
  `if ($http_authorization = "") { return ${status}; }
   if ($http_authorization != "Bearer ${RIGHT_TOKEN}") { return 401; }
   alias ${root}/release.json;`;

/** Paths by what they do; `needs-401` and its kind open to `RIGHT_TOKEN` alone. */
const rules = (root: string) => `
  default_type application/json;
  # What anyone may read is asked for without a credential.
  location = /open { if ($http_authorization != "") { return 400; } alias ${root}/release.json; }
  location = /tagged { alias ${root}/tagged.json; }
  location = /needs-401 { ${asking(root, 401)} }
  location = /needs-403 { ${asking(root, 403)} }
  location = /needs-404 { ${asking(root, 404)} }
  location = /moved { return 302 /open; }
  location = /moved-with-token { if ($http_authorization = "") { return 404; } return 301 /open; }
  location = /limit { return 429; }
  location = /down { return 500; }
  location = /teapot { return 402; }
  location = /page { return 200 "<html>log in to this network</html>"; }
`;

function example(): object {
  const found = examples.find(({ name }) => name === "release")?.examples[0];
  return (found as { readonly release: object }).release;
}

/** @param tag of `/tagged` */
export async function releaseHost(folder: string, tag = "v9.9.9"): Promise<NginxFiles> {
  const root = `${folder}/releases`;
  await Deno.mkdir(root);
  await Deno.writeTextFile(`${root}/release.json`, JSON.stringify(example()));
  const tagged = JSON.stringify({ ...example(), tag_name: tag });
  await Deno.writeTextFile(`${root}/tagged.json`, tagged);
  return await nginxFiles(folder, root, rules(root));
}
