import { type IdempotencyRequest, idempotencyRequest } from '../../../platform/idempotency/idempotency-request.ts';
import type { GraphqlContext } from './context.ts';

type IdempotentCall = { scopeId: string; operation: string; parameters: unknown; bodyKey?: string | null | undefined };

/**
 * The idempotency of a mutation under the header `Idempotency-Key`; undefined when the caller sent none. A mutation that anybody
 * may call has `publicIdempotencyOf` instead.
 */
export function idempotencyOf(context: GraphqlContext, call: IdempotentCall): IdempotencyRequest | undefined {
  return idempotencyRequest({ ...call, ...carriedBy(context) });
}

/**
 * The same for a mutation that needs no credential, whatever credential is sent: a key that can be guessed counts for the
 * caller's network address only.
 */
export function publicIdempotencyOf(context: GraphqlContext, call: IdempotentCall): IdempotencyRequest | undefined {
  return idempotencyRequest({ ...call, ...carriedBy(context), strangersAddress: context.address });
}

function carriedBy(context: GraphqlContext) {
  return {
    sealedUnder: context.world.secretKeys.answers,
    headerKey: context.idempotencyKey,
    onReplay: () => {
      context.answer.replayed = true;
    },
  };
}
