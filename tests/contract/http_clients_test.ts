/** Cookie jars that are not ours log in, ask and control. */
import assert from "node:assert/strict";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { dashboardPlace, SECRET } from "tests/unit/http/dashboard_place.ts";

async function ran(command: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(command, { args: [...args] }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}

const PYTHON = `
import http.cookiejar, json, sys, urllib.request
url, secret = sys.argv[1:]
jar = http.cookiejar.CookieJar()
client = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(jar))
def ask(path, body=None, headers={}):
    request = urllib.request.Request(url + path, data=body, headers=headers)
    return json.load(client.open(request))
json_type = {"Content-Type": "application/json", "Origin": url}
token = ask("/api/login", json.dumps({"secret": secret}).encode(), json_type)["csrf_token"]
assert ask("/api/session")["csrf_token"] == token
repos = ask("/api/repos")
body = json.dumps({"repo_id": repos[0]["id"]}).encode()
assert ask("/api/scan", body, {**json_type, "X-SVC-CSRF-Token": token})["ok"]
print(repos[0]["basename"])
`;

Deno.test("Python's cookie jar keeps the session", async () => {
  await using place = dashboardPlace();
  assert.equal(await ran("python3", ["-c", PYTHON, place.url, SECRET]), "shop");
  assert.deepEqual(place.asked, ["scan r1"]);
});

Deno.test("curl's cookie jar keeps the session", async () => {
  await using place = dashboardPlace();
  await using folder = await tempFolder();
  const curl = (...args: string[]) =>
    ran("curl", [
      ...["--silent", "--show-error", "--fail", "--noproxy", "*", "-H", `Origin: ${place.url}`],
      ...["-b", `${folder.path}/jar`, "-c", `${folder.path}/jar`, ...args],
    ]);
  const body = JSON.stringify({ secret: SECRET });
  const json = ["-H", "Content-Type: application/json"];
  const { csrf_token } = JSON.parse(await curl(...json, "-d", body, `${place.url}/api/login`));
  assert.equal(JSON.parse(await curl(`${place.url}/api/repos`))[0].basename, "shop");
  const token = ["-H", `X-SVC-CSRF-Token: ${csrf_token}`];
  assert.deepEqual(JSON.parse(await curl(...token, "-X", "POST", `${place.url}/api/pause`)), {
    ...{ ok: true, paused: true },
  });
  await curl(...token, "-X", "POST", `${place.url}/api/logout`);
  await assert.rejects(() => curl(`${place.url}/api/repos`), /401/);
});

Deno.test("two dashboards on one host keep two sessions in one jar", async () => {
  await using one = dashboardPlace();
  await using other = dashboardPlace();
  const cookies = [(await one.login()).cookie, (await other.login()).cookie];
  for (const cookie of [cookies.join("; "), cookies.reverse().join("; ")]) {
    for (const { url } of [one, other]) {
      const response = await fetch(`${url}/api/repos`, { headers: { cookie } });
      assert.equal(response.status, 200);
      await response.body?.cancel();
    }
  }
});
