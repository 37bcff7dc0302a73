/** Searches the contract's events for the wallet's payments: at once if there is no other source, otherwise on request. */
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Address } from 'viem';
import { Button } from '../../ui/button/button.tsx';
import { Note } from '../../ui/state/note.tsx';
import { chainReader } from '../../wallet/evm/chain-reader.ts';
import { evmChains } from '../../wallet/evm/wallet-config.ts';
import { type ChainSearch, findOnChain } from '../chain/find-on-chain.ts';
import { type Holdings, mergeHoldings } from '../holdings/holding.ts';
import styles from './payer.module.css';

type Searched = ReadonlyMap<number, ChainSearch | 'FAILED'>;

type SearchChainProps = { wallet: Address; onFound: (found: Holdings) => void; isWanted: boolean };

export function SearchChain({ wallet, onFound, isWanted }: SearchChainProps) {
  const { t } = useTranslation();
  const [searched, setSearched] = useState<Searched>(new Map());
  const [isSearching, setSearching] = useState(false);
  const isBegun = useRef(false);

  const search = async () => {
    if (isSearching) return;
    isBegun.current = true;
    setSearching(true);
    const all = await searchAll(wallet, searched);
    setSearched(all);
    onFound(holdingsIn(all));
    setSearching(false);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the search is first requested.
  useEffect(() => {
    if (isWanted && !isBegun.current) void search();
  }, [isWanted]);

  const failed = evmChains().filter(({ chainId }) => searched.get(chainId) === 'FAILED');
  const isPartial = [...searched.values()].some((one) => one !== 'FAILED' && one.from > 0n);
  const count = holdingsIn(searched).payments.length;
  return (
    <section className={styles.search} aria-label={t('payer.search.title')}>
      <p className={styles.soft} aria-live="polite">
        {isSearching
          ? t('payer.search.running')
          : searched.size === 0
            ? t('payer.search.words')
            : t(isPartial ? 'payer.search.partial' : 'payer.search.whole', { count })}
      </p>
      {failed.length > 0 && (
        <Note tone="wait" title={t('payer.search.failed', { names: failed.map(({ name }) => name).join(', ') })} />
      )}
      <Button size="small" icon="search" isBusy={isSearching} onPress={search}>
        {t(isPartial ? 'payer.search.further' : 'payer.search.button')}
      </Button>
    </section>
  );
}

/** Continues on each chain where the last search stopped, and starts again where it had reached the first block. */
async function searchAll(wallet: Address, before: Searched): Promise<Searched> {
  const found = await Promise.all(
    evmChains().map(async ({ chainId, escrow }): Promise<[number, ChainSearch | 'FAILED'][]> => {
      if (escrow === null) return [];
      const last = before.get(chainId);
      const known = last === undefined || last === 'FAILED' ? undefined : last;
      const start = known && known.from > 0n ? known.from : undefined;
      try {
        const reader = await chainReader(chainId);
        if (!reader) return [[chainId, 'FAILED']];
        const place = { chainId, escrow };
        const search = await findOnChain(reader, { place, payer: wallet, before: start });
        const payments = [...(known?.payments ?? []), ...search.payments];
        return [[chainId, { payments, consents: [...(known?.consents ?? []), ...search.consents], from: search.from }]];
      } catch {
        return [[chainId, known ?? 'FAILED']];
      }
    }),
  );
  return new Map(found.flat());
}

function holdingsIn(searched: Searched): Holdings {
  const all = [...searched.values()].flatMap((one) => (one === 'FAILED' ? [] : [one]));
  return mergeHoldings({
    payments: all.flatMap(({ payments }) => payments),
    consents: all.flatMap(({ consents }) => consents),
    allowances: [],
    payouts: [],
  });
}
