import { type IdempotencyRequest, idempotencyRequest } from '../../../platform/idempotency/idempotency-request.ts';
import type { GraphqlContext } from './context.ts';

/** The idempotency of a mutation under the header `Idempotency-Key`; undefined when the caller sent none. */
export function idempotencyOf(
  context: GraphqlContext,
  call: { scopeId: string; operation: string; parameters: unknown; bodyKey?: string | null | undefined },
): IdempotencyRequest | undefined {
  return idempotencyRequest({
    ...call,
    sealedUnder: context.world.secretKeys.answers,
    headerKey: context.idempotencyKey,
    onReplay: () => {
      context.answer.replayed = true;
    },
  });
}
