/** Why the service did not do what was asked. */
export function Refusal({ of }: { readonly of: string | undefined }) {
  if (of === undefined) return null;
  return (
    <p class="fault" role="alert">
      <strong>Refused.</strong> {of}
    </p>
  );
}
