/** Payouts that could not be delivered, oldest first. */
export const undelivered = {
  where: { deliveredAt: null },
  orderBy: [{ creditedAt: 'asc' }, { id: 'asc' }],
  take: 100,
} as const;
