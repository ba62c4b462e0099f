/** The download plan, and whether a model file that is here is the right one. */
import assert from "node:assert/strict";
import { modelArtifact, serverArtifact } from "svc/features/models/bundles/artifact.ts";
import { refusedHost } from "svc/features/models/bundles/allowed_hosts.ts";
import { checkedFile, type CheckPorts } from "svc/features/models/bundles/checked_file.ts";
import { downloadPlan, modelPath } from "svc/features/models/bundles/plan.ts";
import { registry } from "svc/features/models/choose/registry.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { partFiles } from "svc/platform/files/part_file.ts";
import { Failure } from "svc/core/failure.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { artifactOf, content } from "./download_place.ts";

const { bundles, servers } = registry();

const placesIn = (folder: string, folders: string[] = []) => ({
  models: `${folder}/models`,
  bin: `${folder}/bin`,
  folders,
});

verifies(
  [
    "4.5:setup:artifacts-stable-sorted",
    "4.5:setup:artifacts-identified",
    "4.5:setup:artifacts-licensed",
  ],
  "a plan names what is missing in one order, whatever the order it was asked in",
  async () => {
    await using folder = await tempFolder();
    const places = placesIn(folder.path);
    const [server] = servers;
    const plans = await Promise.all(
      [bundles, bundles.toReversed()].map((wanted) =>
        downloadPlan(denoFiles(), places, { bundles: wanted, server })
      ),
    );
    const [one, other] = plans;
    assert.deepEqual(one, other);
    assert.deepEqual(one!.artifacts.map(({ bundle }) => bundle), [
      "llama-server",
      "local-balanced-q4",
      "local-cpu-q3",
      "local-quality-q8",
    ]);
    for (const artifact of one!.artifacts) {
      const { identity, bytes, license, terms_url, notice_url } = artifact;
      assert.match(identity.sha256, /^[0-9a-f]{64}$/);
      assert.ok(bytes > 1_000_000);
      assert.ok(artifact.url.includes(identity.revision) && artifact.url.includes(identity.repo));
      assert.ok(artifact.url.endsWith(`/${identity.file}`));
      assert.equal(refusedHost(artifact.url, undefined), undefined);
      for (const url of [license.url, terms_url, notice_url]) assert.ok(URL.canParse(url), url);
      assert.ok(license.id !== "");
    }
    assert.equal(one!.bytes, one!.artifacts.reduce((sum, { bytes }) => sum + bytes, 0));
  },
);

Deno.test("a model is asked of its commit, a build of its release, and both of a mirror", () => {
  const [small] = bundles;
  assert.equal(
    modelArtifact(small!).url,
    "https://huggingface.co/unsloth/Qwen3-4B-Instruct-2507-GGUF/resolve/" +
      "a06e946bb6b655725eafa393f4a9745d460374c9/Qwen3-4B-Instruct-2507-Q3_K_M.gguf",
  );
  assert.equal(
    serverArtifact(servers[0]!).url,
    "https://github.com/ggml-org/llama.cpp/releases/download/b10950/" +
      "llama-b10950-bin-macos-arm64.tar.gz",
  );
  assert.ok(
    modelArtifact(small!, "https://mirror.example/hf/").url
      .startsWith("https://mirror.example/hf/unsloth/"),
  );
});

Deno.test("what is here is not in the plan, and a part of it counts", async () => {
  await using folder = await tempFolder();
  const own = `${folder.path}/mine`;
  const places = placesIn(folder.path, [own]);
  const [small, balanced] = bundles;
  const files = denoFiles();
  const plan = () => downloadPlan(files, places, { bundles: [small!, balanced!] });
  const path = modelPath(places.models, modelArtifact(balanced!));
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeFile(`${path}.part`, new Uint8Array(1000));
  assert.deepEqual((await plan()).artifacts.map(({ have }) => have), [1000, 0]);
  assert.equal((await plan()).bytes, balanced!.artifact.bytes - 1000 + small!.artifact.bytes);
  await Deno.mkdir(own);
  await using file = await Deno.open(`${own}/${small!.artifact.file}`, {
    create: true,
    write: true,
  });
  await file.truncate(small!.artifact.bytes); // sparse
  assert.deepEqual((await plan()).artifacts.map(({ bundle }) => bundle), [balanced!.id]);
});

Deno.test("only the hosts that hold the files are asked", () => {
  for (
    const url of [
      "https://huggingface.co/a/b/resolve/c/d.gguf",
      "https://cdn-lfs.huggingface.co/repos/x",
      "https://cdn-lfs-us-1.hf.co/repos/x?Signature=y",
      "https://cas-bridge.xethub.hf.co/xet-bridge-us/x",
      "https://us.aws.cdn.hf.co/xet-bridge-us/x",
      "https://github.com/ggml-org/llama.cpp/releases/download/b1/x.zip",
      "https://release-assets.githubusercontent.com/x",
    ]
  ) assert.equal(refusedHost(url, undefined), undefined, url);
  for (
    const url of [
      "http://huggingface.co/x",
      "https://huggingface.co.evil.example/x",
      "https://evil-huggingface.co/x",
      "https://cdn.hf.co.evil.example/x",
      "https://raw.githubusercontent.com/x",
      "https://127.0.0.1/x",
      "ftp://huggingface.co/x",
      "x",
    ]
  ) assert.ok(refusedHost(url, undefined) !== undefined, url);
  assert.equal(refusedHost("http://127.0.0.1:80/x", "http://127.0.0.1"), undefined);
  assert.ok(refusedHost("http://mirror.example/x", "http://mirror.example") !== undefined);
});

Deno.test("a model file is read whole once, and again when it was written to", async () => {
  await using folder = await tempFolder();
  const { path: at } = folder;
  const bytes = content(100_000);
  const artifact = await artifactOf("https://huggingface.co", bytes);
  const places = placesIn(at);
  let reads = 0;
  const ports: CheckPorts = {
    files: denoFiles(),
    parts: {
      digestOf: (...asked) => {
        reads++;
        return partFiles.digestOf(...asked);
      },
    },
    home: { cache: `${at}/cache` },
    signal: new AbortController().signal,
    read: () => {},
  };
  const path = modelPath(places.models, artifact);
  const fails = (text: string) =>
    assert.rejects(checkedFile(ports, artifact, places), (thrown) => {
      assert.ok(thrown instanceof Failure && thrown.code === "environment", String(thrown));
      assert.ok(thrown.message.includes(text), thrown.message);
      return thrown.remedy.includes("svc setup") && thrown.remedy.includes("--model-endpoint");
    });
  await fails("is missing");
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeFile(path, bytes.subarray(1));
  await fails("has 99999 bytes instead of 100000");
  await Deno.writeFile(path, bytes);
  assert.equal(await checkedFile(ports, artifact, places), path);
  assert.equal(await checkedFile(ports, artifact, places), path);
  assert.equal(reads, 1);
  await Deno.writeFile(path, content(100_000, 2));
  await Deno.utime(path, 0, 1);
  await fails("has other bytes");
  assert.equal(reads, 2);
  // A download takes a file of that name and size for the right one: as long as it lies there, none begins.
  await assert.rejects(checkedFile(ports, artifact, places), (thrown) => {
    assert.ok(thrown instanceof Failure);
    assert.ok(
      thrown.remedy.startsWith(`mv ${path} ${path}.wrong; then: svc setup `),
      thrown.remedy,
    );
    assert.ok(thrown.remedy.includes("--local-bundle local-cpu-q3 --download"), thrown.remedy);
    return true;
  });
});
