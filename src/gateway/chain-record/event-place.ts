/** The position of an event among all events: block time, chain, block, log, block hash. Lists are ordered by it, and cursors encode it. */
import { invalid } from '../../errors.ts';
import type { RecordedEvent } from './chain-event.ts';

export type EventPlace = Pick<RecordedEvent, 'blockTimestamp' | 'chainId' | 'blockNumber' | 'logIndex' | 'blockHash'>;

const PREFIX = 'ChainEvent:';
const FORM = /^(\d{1,15})\.(\d{1,10})\.(\d{1,18})\.(\d{1,10})\.([0-9A-Za-z]{32,100})$/;
const CURSOR_LENGTH = 300;

export function printPlace({ blockTimestamp, chainId, blockNumber, logIndex, blockHash }: EventPlace): string {
  const key = [blockTimestamp, chainId, blockNumber, logIndex, blockHash].join('.');
  return Buffer.from(`${PREFIX}${key}`).toString('base64url');
}

/** Parses the position in a cursor, which need not hold an event. Throws VALIDATION_ERROR for any other text. */
export function readPlace(cursor: string): EventPlace {
  const text = cursor.length > CURSOR_LENGTH ? '' : Buffer.from(cursor, 'base64url').toString('utf8');
  const [, blockTimestamp, chainId, blockNumber, logIndex, blockHash] =
    (text.startsWith(PREFIX) && FORM.exec(text.slice(PREFIX.length))) || [];
  if (!blockTimestamp || !chainId || !blockNumber || !logIndex || !blockHash) throw notOfTheList();
  const place = {
    blockTimestamp: BigInt(blockTimestamp),
    chainId: Number(chainId),
    blockNumber: BigInt(blockNumber),
    logIndex: Number(logIndex),
    blockHash,
  };
  if (place.chainId > MAX_INT || place.logIndex > MAX_INT || printPlace(place) !== cursor) throw notOfTheList();
  return place;
}

/** Maximum of Postgres' integer type. Log indexes on Solana reach it. */
const MAX_INT = 2_147_483_647;

function notOfTheList() {
  return invalid([{ param: 'after', message: 'is not a cursor of this list' }]);
}
