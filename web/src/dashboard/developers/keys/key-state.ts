/** ACTIVE; ENDING while a rotated key still works; ENDED after it was revoked or has expired. */
export function keyState(
  key: { expiresAt: string | null; revokedAt: string | null },
  now: Date,
): 'ACTIVE' | 'ENDING' | 'ENDED' {
  if (key.revokedAt !== null) return 'ENDED';
  if (key.expiresAt === null) return 'ACTIVE';
  return new Date(key.expiresAt) > now ? 'ENDING' : 'ENDED';
}
