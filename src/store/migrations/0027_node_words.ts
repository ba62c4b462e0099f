/** What a node says of itself with each beat: which schema its svc knows, and why it claims nothing. */
export const statements = [
  `ALTER TABLE nodes ADD COLUMN schema INTEGER CHECK (schema > 0)`,
  `ALTER TABLE nodes ADD COLUMN waits TEXT CHECK (waits <> '')`,
] as const;
