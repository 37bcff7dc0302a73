/** Lets the payer stop waiting for a wallet, because wallets lose requests and some never respond. */
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import type { Work } from '../steps.ts';
import { Notice } from '../view/notice.tsx';

/** After this time, the page explains what may be wrong. */
const LONG_MS = 15_000;

const waits = new Set<Work | undefined>(['connecting', 'switching', 'signing', 'sending', 'waiting', 'preparing']);

/** Whether the payer can cancel the current action. False once it was submitted. */
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
