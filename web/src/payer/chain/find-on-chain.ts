/**
 * Finds a wallet's payments and consents from the contract's events alone, for use when the gateway does not respond or is not trusted. An
 * Authorized event contains the complete terms. A consent is contained in the calldata of its charges.
 */
import { type Address, decodeEventLog, decodeFunctionData, type Hex, numberToHex, pad, toEventSelector } from 'viem';
import { getBlockNumber, getTransaction } from 'viem/actions';
import { consentHash, type RecurringConsent } from '../../../../src/escrow/consent.ts';
import { escrowAbi } from '../../../../src/escrow/escrow-abi.ts';
import { type PaymentTerms, termsHash } from '../../../../src/escrow/terms.ts';
import type { ChainReader } from '../../wallet/evm/chain-reader.ts';
import { type HeldConsent, type HeldPayment, holdingKey } from '../holdings/holding.ts';

const FIRST_WINDOW = 10_000n;
const LARGEST_WINDOW = 80_000n;
const SMALLEST_WINDOW = 100n;
/** The maximum number of requests to the node in one search. */
const MOST_WINDOWS = 60;

export type ChainSearch = {
  payments: HeldPayment[];
  consents: HeldConsent[];
  /** The search covers this block to the newest one. 0 searches the whole chain. */
  from: bigint;
};

type Place = { chainId: number; escrow: Address };
type FoundLog = { topics: Hex[]; data: Hex; transactionHash: Hex };

const topics = ['Authorized', 'Charged'].map((name) => {
  const event = escrowAbi.find((item) => item.type === 'event' && item.name === name);
  if (event?.type !== 'event') throw new Error(`The contract has no event ${name}.`);
  return toEventSelector(event);
});

/**
 * Searches backwards from the newest block, or from `before`, until the first block or the limit. The block ranges become smaller if the
 * node refuses them. Throws the node's error if it refuses the smallest range.
 */
export async function findOnChain(
  client: ChainReader,
  { place, payer, before }: { place: Place; payer: Address; before?: bigint | undefined },
): Promise<ChainSearch> {
  const logs: FoundLog[] = [];
  let to = before === undefined ? await getBlockNumber(client, { cacheTime: 0 }) : before - 1n;
  let span = FIRST_WINDOW;
  for (let asked = 0; asked < MOST_WINDOWS && to >= 0n; asked += 1) {
    const from = to >= span ? to - span + 1n : 0n;
    try {
      logs.push(...(await logsOf(client, { place, payer, from, to })));
    } catch (error) {
      if (span <= SMALLEST_WINDOW) throw error;
      span = span / 4n > SMALLEST_WINDOW ? span / 4n : SMALLEST_WINDOW;
      continue;
    }
    to = from - 1n;
    span = span * 2n < LARGEST_WINDOW ? span * 2n : LARGEST_WINDOW;
  }
  return {
    payments: logs.flatMap((log) => paymentOf(place, log)),
    consents: await consentsOf(client, { place, logs }),
    from: to + 1n,
  };
}

async function logsOf(
  client: ChainReader,
  { place, payer, from, to }: { place: Place; payer: Address; from: bigint; to: bigint },
): Promise<FoundLog[]> {
  const logs = await client.request({
    method: 'eth_getLogs',
    params: [
      {
        address: place.escrow,
        fromBlock: numberToHex(from),
        toBlock: numberToHex(to),
        // In both events, the payer is the third indexed argument.
        topics: [topics, null, null, pad(payer, { size: 32 })],
      },
    ],
  });
  return logs.flatMap(({ topics: found, data, transactionHash }) =>
    transactionHash === null ? [] : [{ topics: [...found], data, transactionHash }],
  );
}

function paymentOf(place: Place, log: FoundLog): HeldPayment[] {
  const event = decode(log);
  if (event?.eventName !== 'Authorized') return [];
  const terms: PaymentTerms = event.args.terms;
  const id = termsHash(terms);
  return id === event.args.id ? [{ ...place, key: holdingKey(place.chainId, id), id, terms, reported: null }] : [];
}

/**
 * Reads one transaction of each consent. A consent that was charged through another contract is omitted, because the calldata does not
 * contain it.
 */
async function consentsOf(
  client: ChainReader,
  { place, logs }: { place: Place; logs: readonly FoundLog[] },
): Promise<HeldConsent[]> {
  const charges = new Map<Hex, Hex>();
  for (const log of logs) {
    const event = decode(log);
    if (event?.eventName === 'Charged') charges.set(event.args.consentId, log.transactionHash);
  }
  const found = await Promise.all(
    [...charges].map(async ([id, hash]) => {
      const { input } = await getTransaction(client, { hash });
      const consent = consentIn(input);
      if (!consent || consentHash(consent) !== id) return [];
      return [{ ...place, key: holdingKey(place.chainId, id), id, consent, reported: null }];
    }),
  );
  return found.flat();
}

function consentIn(input: Hex): RecurringConsent | null {
  try {
    const call = decodeFunctionData({ abi: escrowAbi, data: input });
    return call.functionName === 'charge' ? call.args[0] : null;
  } catch {
    return null;
  }
}

function decode({ topics: [first, ...rest], data }: FoundLog) {
  if (first === undefined) return null;
  try {
    return decodeEventLog({ abi: escrowAbi, topics: [first, ...rest], data });
  } catch {
    return null;
  }
}
