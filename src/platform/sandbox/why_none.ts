/** Says why this machine contains nothing, and what a person does about it. */
import { Failure } from "svc/core/failure.ts";

const OTHERWISE = "or start without it (--sandbox off): jobs then have all that your user may do";

function setting(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(`/proc/sys/${path}`).trim();
  } catch {
    return undefined;
  }
}

/** Debian's switch, the kernel's bound, and Ubuntu's rule since 23.10 (github.com/containers/bubblewrap/issues/632). */
function forbidden(): { readonly why: string; readonly remedy: string } | undefined {
  if (setting("kernel/unprivileged_userns_clone") === "0") {
    return {
      why: "this machine keeps user namespaces from users",
      remedy: "sudo sysctl -w kernel.unprivileged_userns_clone=1",
    };
  }
  if (setting("user/max_user_namespaces") === "0") {
    return {
      why: "this machine allows no user namespaces",
      remedy: "sudo sysctl -w user.max_user_namespaces=10000",
    };
  }
  if (setting("kernel/apparmor_restrict_unprivileged_userns") === "1") {
    return {
      why: "AppArmor keeps user namespaces from bwrap, as Ubuntu does since 23.10",
      remedy: "Give bwrap the AppArmor profile that docs/security.md shows",
    };
  }
  return undefined;
}

/** @param said what bwrap wrote; undefined where there is none */
export function whyNoSandbox(said: string | undefined): Failure {
  const doing = "Cannot contain jobs in bubblewrap";
  if (said === undefined) {
    const linux = Deno.build.os === "linux";
    return new Failure(
      "environment",
      `${doing}: ${linux ? "it is not installed" : "it needs Linux"}`,
      {
        remedy: `${
          linux ? "sudo apt-get install bubblewrap" : "Use a Linux machine"
        }; ${OTHERWISE}`,
      },
    );
  }
  const line = said.split("\n", 1)[0]!.slice(0, 300);
  if (/unknown option/i.test(line)) {
    return new Failure("environment", `${doing}: it is older than 0.8 (${line})`, {
      remedy: `Install bubblewrap 0.8 or newer; ${OTHERWISE}`,
    });
  }
  const known = /permission|permitted|namespace/i.test(line) ? forbidden() : undefined;
  if (known !== undefined) {
    return new Failure("environment", `${doing}: ${known.why} (${line})`, {
      remedy: `${known.remedy}; ${OTHERWISE}`,
    });
  }
  return new Failure("environment", `${doing}: ${line === "" ? "it says nothing" : line}`, {
    remedy: `A container may forbid it: see docs/security.md; ${OTHERWISE}`,
  });
}
