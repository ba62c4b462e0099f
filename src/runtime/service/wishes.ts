/** Wishes of webhooks as the runtime settles them: with its checkout, its words on jobs, and a scan after a push. */
import { openCheckout } from "svc/platform/git/checkout.ts";
import { type SettledWishes, settleWishes } from "svc/features/webhooks/settle_wishes.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { RepoView } from "svc/runtime/repo_view.ts";

type Ports = Pick<
  RuntimePorts,
  | ("clock" | "commits" | "db" | "files" | "folder" | "git" | "home" | "load")
  | ("lockRepo" | "log" | "profile" | "readTree" | "redact" | "signal")
>;

/** Jobs and settlements may have been added when any are done. */
export async function settleWishesOf(ports: Ports, view: RepoView): Promise<SettledWishes> {
  return await settleWishes({
    ...ports,
    checkout: () => openCheckout(ports, view.root),
    async afterPush() {
      const { scanRepo } = await ports.load("src/runtime/service/scan");
      return await scanRepo(ports, view);
    },
  }, view);
}
