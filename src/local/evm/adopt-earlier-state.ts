import { existsSync, readFileSync, renameSync } from 'node:fs';
import { z } from 'zod';
import { openChainJournal } from './chain-journal.ts';

const stateShape = z.looseObject({
  blocks: z.array(z.looseObject({ header: z.looseObject({ number: z.string(), timestamp: z.string() }) })),
});

/**
 * Earlier editions let the node write its whole state to `stateFile`. This function turns it into the first snapshot. The node had added
 * its own genesis block at each start; the oldest belongs to the chain. An incomplete file is left in place.
 */
export async function adoptEarlierState(stateFile: string): Promise<void> {
  if (!existsSync(stateFile)) return;
  const state = stateShape.safeParse(parse(readFileSync(stateFile, 'utf8')));
  if (!state.success) return;
  const isGenesis = ({ header }: { header: { number: string } }) => BigInt(header.number) === 0n;
  const geneses = state.data.blocks.filter(isGenesis);
  const [first] = geneses.toSorted((left, right) => Number(left.header.timestamp) - Number(right.header.timestamp));
  if (!first) return;
  const blocks = state.data.blocks.filter((block) => block === first || !isGenesis(block));
  const journal = await openChainJournal(stateFile);
  if (!journal.kept) {
    await journal.renew(Buffer.from(JSON.stringify({ ...state.data, blocks })), {
      genesisTimestamp: Number(first.header.timestamp),
    });
  }
  await journal.close();
  renameSync(stateFile, `${stateFile}.adopted`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
