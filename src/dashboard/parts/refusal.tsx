/** Why the service did not do what was asked. */
import { UNREACHED } from "svc/dashboard/state/api.ts";

export function Refusal({ of }: { readonly of: string | undefined }) {
  if (of === undefined) return null;
  return (
    <p class="fault" role="alert">
      {!of.startsWith(UNREACHED) && <strong>Refused.</strong>} {of}
    </p>
  );
}
