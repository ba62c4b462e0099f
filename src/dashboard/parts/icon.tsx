/** Small line drawings on a grid of 16; they accompany a word and are hidden from screen readers. */

const PATHS = {
  needs_you: "M8 2.2 14 8l-6 5.8L2 8zM8 5.4v3.2M8 10.6v.1",
  failing: "M5.2 2h5.6L14 5.2v5.6L10.8 14H5.2L2 10.8V5.2zM5.9 5.9l4.2 4.2M10.1 5.9l-4.2 4.2",
  waiting: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2M8 4.8V8l2.2 1.6",
  working: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2M6.8 5.6 10.4 8l-3.6 2.4z",
  done: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2M5.2 8.2l2 2 3.6-4",
  pipeline: "M2 4h4M2 8h8M2 12h12M9 4h5M13 8h1",
  tickets: "M2.5 3h3v10h-3zM6.5 3h3v6h-3zM10.5 3h3v8h-3z",
  grip: "M6 4h.1M10 4h.1M6 8h.1M10 8h.1M6 12h.1M10 12h.1",
  find: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M10.3 10.3l3.4 3.4",
  plus: "M8 3v10M3 8h10",
  orchestration: "M3.5 3.5h3v3h-3zM9.5 9.5h3v3h-3zM6.5 5h3a1.5 1.5 0 0 1 1.5 1.5v3",
  roles: "M8 2.5a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2M3 13.5c.4-2.4 2.4-3.8 5-3.8s4.6 1.4 5 3.8",
  throughput: "M2.5 13.5V8.5M6.2 13.5V4.5M9.8 13.5V6.5M13.5 13.5V2.5",
  debug:
    "M5 6.5a3 3 0 0 1 6 0v3a3 3 0 0 1-6 0zM2 8h3M11 8h3M3 3.5l2.4 1.8M13 3.5l-2.4 1.8M3 13l2.4-2M13 13l-2.4-2",
  evolution: "M2.5 12.5c3 0 3-9 5.5-9s2.5 6 5.5 6M11.5 7.5l2 2-2 2",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  play: "M5 3.3 12 8l-7 4.7z",
  controls: "M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M8.5 3.5v3M4.5 9.5v3",
  keyboard: "M1.8 4.5h12.4v7H1.8zM4.5 7h.1M7 7h.1M9.5 7h.1M11.8 7h.1M5 9.3h6",
  sun:
    "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9",
  moon: "M13 9.7A5.5 5.5 0 0 1 6.3 3a5.5 5.5 0 1 0 6.7 6.7z",
  half: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2M8 2v12M8 5l5 0M8 8h6M8 11h5",
  out: "M6.5 2.5h-4v11h4M10 5l3 3-3 3M13 8H6",
  more: "M4.5 6.3 8 9.7l3.5-3.4",
  copy: "M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",
  close: "M4 4l8 8M12 4l-8 8",
  link: "M6 3H3v10h10v-3M9 3h4v4M13 3 7.5 8.5",
  lost: "M2 6.5c3.5-3 8.5-3 12 0M4.5 9.3c2-1.7 5-1.7 7 0M8 12.3v.1M2.5 2.5l11 11",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
