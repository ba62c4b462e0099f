/** Which flags of `svc setup` contradict each other. */
import { Failure } from "svc/core/failure.ts";
import type { Inference } from "svc/features/setup/choice.ts";

export interface SetupFlags {
  readonly inference: Inference | undefined;
  readonly modelEndpoint: string | undefined;
  readonly localBundle: string | undefined;
  readonly download: boolean;
  readonly skipDownload: boolean;
  readonly github: boolean;
  readonly skipGithub: boolean;
  readonly testMode: boolean;
}

/** Each pair with what it cannot both want. */
function contradictions(asked: SetupFlags): readonly (readonly [boolean, string, string])[] {
  const { inference, localBundle, download, skipDownload, testMode, modelEndpoint } = asked;
  const elsewhere = inference === "cloud" || inference === "defer";
  return [
    [download && skipDownload, "--download", "--skip-download"],
    [asked.github && asked.skipGithub, "--github", "--skip-github"],
    [testMode && download, "--test-mode", "--download"],
    [testMode && modelEndpoint !== undefined, "--test-mode", "--model-endpoint"],
    [testMode && inference !== undefined && inference !== "defer", "--test-mode", "--inference"],
    [elsewhere && localBundle !== undefined, `--inference ${inference}`, "--local-bundle"],
    [elsewhere && download, `--inference ${inference}`, "--download"],
    [inference === "defer" && modelEndpoint !== undefined, "--inference defer", "--model-endpoint"],
  ];
}

/** @throws Failure `usage` */
export function refuseContradictions(asked: SetupFlags): void {
  const [, one, other] = contradictions(asked).find(([both]) => both) ?? [];
  if (one === undefined) return;
  throw new Failure("usage", `Cannot set up svc with both ${one} and ${other}`, {
    remedy: `Leave one of them out: ${one} or ${other}`,
  });
}
