/** Connects a wallet on a phone: a QR code to scan or, on the phone itself, a link that opens the wallet. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { settings } from '../../settings.ts';
import { Button } from '../../ui/button/button.tsx';
import { ButtonLink } from '../../ui/button/button-link.tsx';
import { LazyQrCode } from '../../ui/code/lazy-qr-code.tsx';
import { Note } from '../../ui/state/note.tsx';
import styles from './phone.module.css';

/** Renders nothing if the installation has no WalletConnect project. */
export function PhoneWallet() {
  const { t } = useTranslation();
  const [address, setAddress] = useState<string>();
  const [isFailed, setFailed] = useState(false);
  const projectId = settings.walletConnectProjectId;
  if (projectId === null) return null;

  const start = async () => {
    setFailed(false);
    try {
      const { connectPhone } = await import('./connect-phone.ts');
      await connectPhone({ projectId, onAddress: setAddress });
    } catch {
      setFailed(true);
    }
    setAddress(undefined);
  };

  return (
    <div className={styles.phone}>
      <Button size="large" isWide onPress={start}>
        {t('everywhere.phone.button')}
      </Button>
      {address && (
        <div className={styles.pairing}>
          <LazyQrCode text={address} label={t('everywhere.phone.scan')} />
          <p>{t('everywhere.phone.scan')}</p>
          <ButtonLink href={address}>{t('everywhere.phone.open')}</ButtonLink>
        </div>
      )}
      {isFailed && <Note tone="bad" isUrgent title={t('everywhere.phone.failed')} />}
    </div>
  );
}
