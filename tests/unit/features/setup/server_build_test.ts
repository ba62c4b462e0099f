/** Which programs serve models, how to get one, and the build that svc fetches where the system is none of Linux. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { serverArtifact } from "svc/features/models/bundles/artifact.ts";
import { downloadPlan } from "svc/features/models/bundles/plan.ts";
import { registry } from "svc/features/models/choose/registry.ts";
import { buildFor, installedServer, installServer } from "svc/features/setup/server_build.ts";
import { serverPrograms, type System, systemOf } from "svc/features/setup/server_programs.ts";
import { denoEnv } from "svc/platform/entrance.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { nginxFiles } from "tests/kit/servers/nginx_files.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { downloadPlace, sha256 } from "tests/unit/features/models/bundles/download_place.ts";

const LINUX: System = { os: "linux", arch: "x64" };
const MAC: System = { os: "darwin", arch: "arm64" };
const WINDOWS: System = { os: "windows", arch: "x64" };

const getting = (system: System, ...programs: string[]) => {
  const has = (name: string) => programs.includes(name);
  const all = serverPrograms(system, { has });
  return Object.fromEntries(all.map(({ program, found, get }) => [program, found ? "found" : get]));
};

Deno.test("a system is told by its target", () => {
  assert.deepEqual(systemOf("x86_64-unknown-linux-gnu"), LINUX);
  assert.deepEqual(systemOf("aarch64-unknown-linux-gnu"), { os: "linux", arch: "arm64" });
  assert.deepEqual(systemOf("aarch64-apple-darwin"), MAC);
  assert.deepEqual(systemOf("x86_64-pc-windows-msvc"), WINDOWS);
});

Deno.test("each program that serves models is found, or one line gets it on this system", () => {
  const bare = getting(LINUX, "ollama");
  assert.match(
    bare["llama-server"]!,
    /^unpack a build of https:\/\/github.com\/ggml-org\/llama.cpp/,
  );
  assert.equal(bare.ollama, "found");
  assert.match(bare.lms!, /^install LM Studio from https:/);
  assert.equal(bare.vllm, "pip install vllm");
  assert.equal(getting(LINUX, "brew", "nix")["llama-server"], "brew install llama.cpp");
  assert.equal(getting(LINUX, "nix")["llama-server"], "nix profile install nixpkgs#llama-cpp");
  assert.equal(getting(LINUX).ollama, "curl -fsSL https://ollama.com/install.sh | sh");
  assert.equal(getting(MAC, "port")["llama-server"], "sudo port install llama.cpp");
  assert.equal(getting(MAC).ollama, "https://ollama.com/download");
  assert.equal(getting(WINDOWS, "winget")["llama-server"], "winget install llama.cpp");
  assert.match(getting(WINDOWS).vllm!, /no builds for this system/);
});

verifies(
  "4.5:setup:no-automatic-linux-server",
  "a build is planned where svc fetches one, never on Linux",
  async () => {
    await using folder = await tempFolder();
    const places = { models: `${folder.path}/models`, bin: `${folder.path}/bin`, folders: [] };
    const planned = async (system: System) => {
      const server = buildFor(system, registry());
      const { artifacts } = await downloadPlan(denoFiles(), places, { bundles: [], server });
      return artifacts.map(({ identity, path }) => [identity.file, path.startsWith(places.bin)]);
    };
    assert.deepEqual(await planned(LINUX), []);
    assert.deepEqual(await planned({ os: "linux", arch: "arm64" }), []);
    assert.deepEqual(await planned(MAC), [["llama-b10950-bin-macos-arm64.tar.gz", true]]);
    assert.deepEqual(await planned(WINDOWS), [["llama-b10950-bin-win-cpu-x64.zip", true]]);
    assert.deepEqual(await planned({ os: "windows", arch: "arm64" }), []);
  },
);

async function archive(folder: string, program: string): Promise<Uint8Array<ArrayBuffer>> {
  await Deno.mkdir(`${folder}/llama-b10950`);
  await Deno.writeTextFile(`${folder}/llama-b10950/${program}`, "#!/bin/sh\necho served\n");
  await Deno.chmod(`${folder}/llama-b10950/${program}`, 0o755);
  const args = ["-czf", `${folder}/a.tar.gz`, "-C", folder, "llama-b10950"];
  const { success } = await new Deno.Command("tar", { args }).output();
  assert.ok(success);
  return await Deno.readFile(`${folder}/a.tar.gz`);
}

verifies(
  ["4.5:setup:installs-inference-server", "2.1:bin-directory:managed-binaries"],
  "a build is downloaded by its digest, unpacked below bin, and found there from then on",
  async () => {
    await using place = await downloadPlace();
    await using nginx = await nginxFiles(place.folder, place.root);
    const bytes = await archive(place.folder, "llama-server");
    const bin = `${place.folder}/home/bin`;
    const real = buildFor(MAC, registry())!;
    const identity = { ...real.artifact, sha256: await sha256(bytes), bytes: bytes.length };
    const build = { ...real, artifact: identity };
    const artifact = serverArtifact(build, nginx.origin);
    const at = `${place.root}${new URL(artifact.url).pathname}`;
    await Deno.mkdir(at.slice(0, at.lastIndexOf("/")), { recursive: true });
    await Deno.writeFile(at, bytes);
    const files = denoFiles();
    assert.equal(await installedServer(files, bin, build, MAC), undefined);
    await place.get(artifact);
    const ports = {
      files,
      processes: denoProcesses(),
      env: denoEnv,
      signal: new AbortController().signal,
    };
    const program = await installServer(ports, { archive: place.path, bin, build, system: MAC });
    assert.equal(program, `${bin}/llama.cpp-b10950/llama-b10950/llama-server`);
    assert.equal(await installedServer(files, bin, build, MAC), program);
    const { stdout } = await new Deno.Command(program).output();
    assert.equal(new TextDecoder().decode(stdout), "served\n");
    const cannot = (text: string) => (thrown: unknown) =>
      thrown instanceof Failure && thrown.code === "environment" && thrown.message.includes(text);
    await assert.rejects(
      installServer(ports, { archive: place.path, bin, build, system: WINDOWS }),
      cannot("it holds no llama-server.exe"),
    );
    await Deno.writeTextFile(`${place.folder}/b.tar.gz`, "no archive");
    await assert.rejects(
      installServer(ports, { archive: `${place.folder}/b.tar.gz`, bin, build, system: MAC }),
      cannot("tar ended with exit code 2"),
    );
  },
);
