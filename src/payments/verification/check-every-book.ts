/** Checks the records of all payment intents, or of one app's, field by field. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../../prisma/client.ts';
import type { Registry } from '../../chains/registry.ts';
import { bookFaults } from './book-faults.ts';
import { readManyBooks } from './read-books.ts';

export type BookFault = { paymentIntentId: string; fault: string };
export type EveryBook = {
  /** Number of payment intents that were checked. */
  payments: number;
  faults: BookFault[];
  /** Whether the check ended early, because it had found more faults than it lists. */
  isCut: boolean;
};

type World = { database: Database; registry: Pick<Registry, 'chain'> };

/** Payment intents that are read together, so that memory does not depend on their number. */
const BATCH = 200;
/** Maximum number of faults that are listed. A larger number of faults usually has a common cause. */
const FAULTS_LIMIT = 10_000;
/** The inbox and the records of a payment differ briefly while its facts are being applied. */
const SECOND_LOOK_MS = 5_000;

/**
 * Compares the records of each payment intent with its facts, in batches by id. Those that differ are compared a second time at the end,
 * and only what is wrong both times is a fault, so that payments whose facts are being applied raise no false alarm. Writes nothing.
 */
export async function checkEveryBook(
  world: World,
  options: { appId?: string | undefined; secondLookMs?: number } = {},
): Promise<EveryBook> {
  const first: BookFault[] = [];
  let payments = 0;
  let isCut = false;
  for await (const ids of idPages(world, options)) {
    first.push(...(await faultsOf(world, ids)));
    payments += ids.length;
    isCut = first.length > FAULTS_LIMIT;
    if (isCut) break;
  }
  if (first.length === 0) return { payments, faults: [], isCut };
  await delay(options.secondLookMs ?? SECOND_LOOK_MS);
  const faulty = [...new Set(first.map(({ paymentIntentId }) => paymentIntentId))];
  const before = new Set(first.map(textOf));
  const faults: BookFault[] = [];
  for (let start = 0; start < faulty.length; start += BATCH) {
    const second = await faultsOf(world, faulty.slice(start, start + BATCH));
    faults.push(...second.filter((fault) => before.has(textOf(fault))));
  }
  return { payments, faults: faults.slice(0, FAULTS_LIMIT), isCut };
}

async function* idPages({ database }: World, { appId }: { appId?: string | undefined }): AsyncGenerator<string[]> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const page: { id: string }[] = await database.paymentIntent.findMany({
      where: { id: { gt: after }, ...(appId === undefined ? {} : { appId }) },
      orderBy: { id: 'asc' },
      take: BATCH,
      select: { id: true },
    });
    if (page.length > 0) yield page.map(({ id }) => id);
    after = page.at(-1)?.id ?? after;
    if (page.length < BATCH) return;
  }
}

async function faultsOf(world: World, ids: readonly string[]): Promise<BookFault[]> {
  const books = await readManyBooks(world, { paymentIntentIds: ids });
  return books.flatMap((one) => bookFaults(one).map((fault) => ({ paymentIntentId: one.intent.id, fault })));
}

function textOf({ paymentIntentId, fault }: BookFault): string {
  return `${paymentIntentId} ${fault}`;
}
