/** Compares a payment with its chain, as `npm run verify` does, as a field. */
import type { Database } from '../../../../prisma/client.ts';
import { unguarded } from '../../../../prisma/guarded-database.ts';
import { openLogSource } from '../../../facts/log-source.ts';
import {
  type Verification,
  type VerifiedPayment,
  verifyPayment,
} from '../../../payments/verification/verify-payment.ts';
import { builder } from '../server/builder.ts';
import type { World } from '../server/world.ts';
import { PaymentIntentRef } from './payment-intent.ts';

/** Results are reused for this time instead of querying the nodes again. */
const FRESH_MS = 10_000;
/** Maximum number of results that a process keeps. */
const KEPT = 500;

type Checked = Verification & { verifiedAt: Date };
const kept = new WeakMap<Database, Map<string, { from: number; isPending: boolean; answer: Promise<Checked> }>>();

const VerdictEnum = builder.enumType('VerificationVerdict', {
  description: 'Whether the reported state matches the chain.',
  values: {
    MATCH: { value: 'MATCH', description: 'The node, the ledger and the payment agree.' },
    DRIFT: {
      value: 'DRIFT',
      description: 'They differ, as `faults` describes. A step that is not confirmed yet is not a difference.',
    },
  } as const,
});

const VerifiedTermsRef = builder.objectRef<VerifiedPayment>('VerifiedTerms').implement({
  description: 'State of one set of terms on the chain, at its confirmed block.',
  fields: (t) => ({
    termsHash: t.exposeString('termsHash', {
      description: 'Hash of the terms, which identifies the payment on the chain.',
    }),
    chainId: t.exposeInt('chainId', { description: 'The chain that was read.' }),
    tokenKey: t.exposeString('tokenKey', { description: 'The token.' }),
    accepted: t.exposeBoolean('accepted', { description: 'Whether these are the terms that were paid.' }),
    status: t.exposeString('status', { description: 'The status in the escrow contract, such as Captured.' }),
    left: t.expose('left', {
      type: 'BaseUnits',
      description: 'Amount held for the payment on the chain, in base units.',
    }),
    booked: t.expose('booked', {
      type: 'BaseUnits',
      description: 'Amount held for the payment according to the ledger, in base units.',
    }),
    faults: t.exposeStringList('faults', { description: 'Descriptions of the differences.' }),
  }),
});

const VerificationRef = builder.objectRef<Checked>('PaymentVerification').implement({
  description: 'A payment recomputed from the nodes of its chains alone.',
  fields: (t) => ({
    verdict: t.expose('verdict', {
      type: VerdictEnum,
      description: 'Whether the nodes, the ledger and the payment agree.',
    }),
    terms: t.field({
      type: [VerifiedTermsRef],
      description: 'The state of each set of terms.',
      resolve: ({ payments }) => payments,
    }),
    faults: t.exposeStringList('faults', { description: 'Descriptions of the faults of the payment as a whole.' }),
    verifiedAt: t.expose('verifiedAt', { type: 'DateTime', description: 'Time at which the nodes were read.' }),
  }),
});

builder.prismaObjectField(PaymentIntentRef, 'verification', (t) =>
  t.field({
    type: VerificationRef,
    authScopes: { read: true },
    // The nodes are queried, so the field must not be cheap in lists of payments.
    complexity: 1_000,
    description: `The state of the payment according to the nodes of its chains, read when this field is requested, at most once every ${FRESH_MS / 1000} seconds. CHAIN_UNAVAILABLE if a node does not respond.`,
    select: { id: true, updatedAt: true },
    resolve: ({ id, updatedAt }, _args, { world }) => verificationOf(world, id, `${id} ${updatedAt.toISOString()}`),
  }),
);

function verificationOf(world: World, intentId: string, key: string): Promise<Checked> {
  const now = world.realClock.now();
  const database = unguarded(world.database);
  const answers = kept.get(database) ?? new Map();
  kept.set(database, answers);
  const known = answers.get(key);
  if (known && (known.isPending || now.getTime() - known.from < FRESH_MS)) return known.answer;
  const [oldest] = answers.keys();
  if (answers.size >= KEPT && oldest !== undefined) answers.delete(oldest);
  const logs = openLogSource(world);
  const answer = verifyPayment({ ...world, database, logs }, { intentId }).then((found) => ({
    ...found,
    verifiedAt: now,
  }));
  answers.delete(key);
  const entry = { from: now.getTime(), isPending: true, answer };
  answers.set(key, entry);
  answer.then(
    () => {
      entry.isPending = false;
    },
    () => answers.delete(key),
  );
  return answer;
}
