/** The way out while a wallet is waited for: wallets lose requests, and some never answer. */
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import type { Work } from '../steps.ts';
import { Notice } from '../view/notice.tsx';

/** After this the page says what may be wrong. */
const LONG_MS = 15_000;

const waits = new Set<Work | undefined>(['connecting', 'switching', 'signing', 'sending', 'waiting', 'preparing']);

/** Whether the payer can give up what is under way: not when it was handed in already. */
export function canStartOver(work: Work | undefined): boolean {
  return waits.has(work);
}

export function StartOver({ work, startOver }: { work: Work; startOver: () => void }) {
  const { t } = useTranslation();
  const [longWork, setLongWork] = useState<Work>();
  useEffect(() => {
    const timer = setTimeout(() => setLongWork(work), LONG_MS);
    return () => clearTimeout(timer);
  }, [work]);
  const isOfWallet = work !== 'preparing' && work !== 'waiting';
  return (
    <>
      {longWork === work && <Notice name={isOfWallet ? 'SLOW_WALLET' : 'SLOW_NETWORK'} />}
      <Button look="bare" isWide onPress={startOver} data-action="start-over">
        {t('checkout.do.startOver')}
      </Button>
    </>
  );
}
