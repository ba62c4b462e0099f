/** The code host of each repo. NULL: registered before it was kept, so only the repo's origin can tell. */
export const statements = [
  `ALTER TABLE repos ADD COLUMN host TEXT
  CHECK (host <> '' AND host = lower(host) AND host NOT GLOB '*[/@ ]*')`,
] as const;
