import { type Coupon, type Database, Prisma } from '../../../prisma/client.ts';
import { fieldsOf } from '../../auth/audit/audit-entry.ts';
import { recordAction } from '../../auth/audit/record-action.ts';
import { GatewayError } from '../../errors.ts';
import type { IdempotencyRequest } from '../../platform/idempotency/idempotency-request.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { newId } from '../../platform/identifier.ts';
import type { CreateCouponInput } from './coupon.ts';

const recorded = [
  'name',
  'code',
  'percentOffBps',
  'amountOff',
  'currency',
  'duration',
  'durationPeriods',
  'maxRedemptions',
  'maxRedemptionsPerCustomer',
  'expiresAt',
] as const;

const UNIQUE_VIOLATION = 'P2002';

/** Creates a coupon of an app. Throws CONFLICT if another coupon of the app, even an archived one, has the code. */
export async function createCoupon(
  world: { database: Database },
  request: { appId: string; input: CreateCouponInput; idempotency?: IdempotencyRequest | undefined },
): Promise<Coupon> {
  const { appId, input } = request;
  try {
    return await idempotently(world.database, request.idempotency, (write) =>
      write(async (tx) => {
        const coupon = await tx.coupon.create({
          data: {
            id: newId(),
            appId,
            name: input.name,
            code: input.code ?? null,
            percentOffBps: input.percentOffBps ?? null,
            amountOff: input.amountOff ?? null,
            currency: input.amountOff ? (input.currency ?? 'USD') : null,
            duration: input.duration ?? 'ONCE',
            durationPeriods: input.durationPeriods ?? null,
            maxRedemptions: input.maxRedemptions ?? null,
            maxRedemptionsPerCustomer: input.maxRedemptionsPerCustomer ?? null,
            expiresAt: input.expiresAt ?? null,
            metadata: input.metadata ?? {},
          },
        });
        await recordAction(tx, {
          action: 'coupon.created',
          owner: { appId },
          target: { type: 'Coupon', id: coupon.id },
          after: fieldsOf(coupon, recorded),
        });
        return coupon;
      }),
    );
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === UNIQUE_VIOLATION) {
      throw new GatewayError('CONFLICT', `The code "${input.code ?? ''}" is taken.`, { param: 'code', cause: error });
    }
    throw error;
  }
}
