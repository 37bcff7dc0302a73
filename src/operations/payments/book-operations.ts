/** The command that checks the whole ledger: against the contracts, and field by field against the facts of the chains. */
import { GatewayError, invalid, notFound } from '../../errors.ts';
import { checkDeposits } from '../../payments/deposits/check-deposits.ts';
import { checkEveryBook } from '../../payments/verification/check-every-book.ts';
import { isId } from '../../platform/identifier.ts';
import { checkBooks } from '../check-books.ts';
import type { Answer, Operation, OperationsWorld } from '../operations-world.ts';

export const bookOperations: Record<string, Operation> = {
  'check-books': {
    usage: '[--app <id>] [--without-nodes]',
    options: ['app'],
    flags: ['without-nodes'],
    hint: 'status',
    async run(world, { values, words, flags }) {
      const [unknown] = words;
      if (unknown !== undefined) throw invalid([{ param: unknown, message: 'is not an option of this command' }]);
      if (values.app !== undefined) await requireApp(world, values.app);
      return await check(world, { appId: values.app, withNodes: !flags.has('without-nodes') });
    },
  },
};

async function requireApp({ database }: OperationsWorld, appId: string): Promise<void> {
  if (!isId(appId)) throw invalid([{ param: '--app', message: 'must be a UUID' }]);
  if (!(await database.app.findUnique({ where: { id: appId }, select: { id: true } }))) throw notFound('app');
}

async function check(
  world: OperationsWorld,
  { appId, withNodes }: { appId: string | undefined; withNodes: boolean },
): Promise<Answer> {
  const silent: string[] = [];
  const onFault = (chainId: number, error: unknown) =>
    void silent.push(`Chain ${chainId}: ${error instanceof GatewayError ? error.message : 'the comparison failed'}`);
  const chains = withNodes ? await checkBooks(world, { onFault }) : [];
  const { payments, faults: bookFaults, isCut } = await checkEveryBook(world, { appId });
  const deposits = await checkDeposits(world, { appId, withNodes, onFault });
  const faults = [...bookFaults, ...deposits.faults];
  const drifting = chains.filter(
    ({ drifts, uncovered, credits }) => drifts.length + uncovered.length + credits.length > 0,
  );
  const sentences = [
    ...silent,
    ...drifting.map(
      ({ chainId }) => `The books of chain ${chainId} differ from the contract. Run: npm run verify -- --all`,
    ),
    ...(faults.length === 0
      ? []
      : [
          `${isCut ? 'More than ' : ''}${faults.length} faults in the books of ${new Set(faults.map(({ paymentIntentId }) => paymentIntentId)).size} payment intents. Run: npm run verify -- <intentId>`,
        ]),
  ];
  return {
    sections: {
      ...(withNodes
        ? {
            contracts: chains.map(({ chainId, payments: open, drifts, uncovered, credits }) => ({
              chainId,
              openPayments: open,
              drifts: drifts.length,
              uncovered: uncovered.join(' ') || null,
              credits: credits.length,
            })),
          }
        : {}),
      books: [{ payments, faults: bookFaults.length, complete: !isCut }],
      deposits: [{ addresses: deposits.addresses, faults: deposits.faults.length }],
      ...(faults.length === 0 ? {} : { faults: faults.map((fault) => ({ ...fault })) }),
    },
    ...(sentences.length === 0 ? {} : { fault: sentences.join('\n') }),
  };
}
