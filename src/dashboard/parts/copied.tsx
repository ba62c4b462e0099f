/** A command that a person runs in a terminal, with a button that copies it. */
import { useSignal } from "@preact/signals";
import { Icon } from "./icon.tsx";

export function Copied({ of, name }: { readonly of: string; readonly name: string }) {
  const copied = useSignal(false);
  const copy = async () => {
    await navigator.clipboard.writeText(of);
    copied.value = true;
  };
  return (
    <span class="copied">
      <code>{of}</code>
      <button
        type="button"
        class="icon-button"
        aria-label={copied.value ? `${name}: copied` : `Copy: ${name}`}
        onClick={() => void copy()}
      >
        <Icon name={copied.value ? "done" : "copy"} />
      </button>
    </span>
  );
}

/** @param folder the repo in which a command is typed, where there are several */
export const inTerminal = (folder: string | undefined): string =>
  folder === undefined ? "In a terminal" : `In a terminal, in the folder of ${folder}`;
