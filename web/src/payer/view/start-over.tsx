/** Lets the payer stop waiting for a wallet, and after a while explains what may be wrong. */
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { Note } from '../../ui/state/note.tsx';

const LONG_MS = 15_000;

export function StartOver({ startOver }: { startOver: () => void }) {
  const { t } = useTranslation();
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      {isLong && <Note tone="wait" title={t('payer.slowWallet')} />}
      <Button look="bare" onPress={startOver}>
        {t('payer.startOver')}
      </Button>
    </>
  );
}
