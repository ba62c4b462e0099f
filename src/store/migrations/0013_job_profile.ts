/** In which profile a job was queued: a rehearsal must not take up and end real work, nor the other way round. */
export const statements = [
  `ALTER TABLE jobs ADD COLUMN profile TEXT NOT NULL DEFAULT 'host'
  CHECK (profile IN ('observer', 'host'))`,
] as const;
