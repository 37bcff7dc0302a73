/** The queries of payment links, and the relations that each endpoint returns. */
import { Prisma } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';

/** The relations that create, update and retrieve return with the link. */
export const linkRelations = {
  app: true,
  productPlan: true,
  productPlanPrice: true,
  taxRate: true,
} as const satisfies Prisma.PaymentLinkInclude;

export type LinkWithRelations = Prisma.PaymentLinkGetPayload<{ include: typeof linkRelations }>;

const UNIQUE_VIOLATION = 'P2002';

/** Turns a unique violation of the slug into CONFLICT. */
export async function refusingTakenSlug<Result>(
  slug: string | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === UNIQUE_VIOLATION) {
      throw new GatewayError('CONFLICT', `The slug "${slug ?? ''}" is taken.`, { param: 'slug', cause: error });
    }
    throw error;
  }
}
