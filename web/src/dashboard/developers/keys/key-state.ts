/** ACTIVE; ENDING while a rotated key still works; ENDED when it was revoked or its time is over. */
export function keyState(
  key: { expiresAt: string | null; revokedAt: string | null },
  now: Date,
): 'ACTIVE' | 'ENDING' | 'ENDED' {
  if (key.revokedAt !== null) return 'ENDED';
  if (key.expiresAt === null) return 'ACTIVE';
  return new Date(key.expiresAt) > now ? 'ENDING' : 'ENDED';
}
