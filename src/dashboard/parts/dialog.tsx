/** A modal dialog with a title and a way out. */
import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";
import { useModal } from "./modal.ts";

export function Dialog(
  { title, children, wide, size = wide === true ? "wide" : "normal" }: {
    readonly title: string;
    readonly children: ComponentChildren;
    readonly wide?: boolean;
    readonly size?: "huge" | "normal" | "wide";
  },
) {
  const { close, props } = useModal();
  return (
    <dialog
      {...props}
      class={size === "normal" ? "sheet" : `sheet sheet-${size}`}
      aria-labelledby="sheet-title"
    >
      <div class="sheet-body">
        <header class="sheet-head">
          <h2 id="sheet-title">{title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
