/** Files of jobs lie where they ran: each node of a team looks through its own once a day. */
export const statements = [
  `ALTER TABLE nodes ADD COLUMN retained_at INTEGER CHECK (retained_at > 0)`,
] as const;
