/**
 * The way out of a frame: the ordinary page in a window of its own, where every wallet works. This page follows the session and shows the
 * result, so the two windows need not know each other.
 */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { ButtonLink } from '../../ui/button/button-link.tsx';
import { Note } from '../../ui/state/note.tsx';
import { printAddress } from '../session/page-address.ts';
import { secretOf } from '../session/secret.ts';
import styles from './window-way.module.css';

const FEATURES = 'popup,width=480,height=820';

export function WindowWay({ sessionId, isOnlyWay }: { sessionId: string; isOnlyWay: boolean }) {
  const { t } = useTranslation();
  const [isOpened, setOpened] = useState(false);
  const secret = secretOf(sessionId, location.hash);
  if (secret === undefined) return null;
  const address = printAddress(location.origin, { id: sessionId, secret });
  // The policy of the page that opens separates it from this one. A browser that blocks the window leaves the link.
  const open = () => {
    window.open(address, '_blank', FEATURES);
    setOpened(true);
  };
  return (
    <div className={styles.way} data-window={isOpened ? 'opened' : 'offered'}>
      {isOnlyWay && !isOpened && <p className={styles.words}>{t('checkout.window.words')}</p>}
      {isOpened ? (
        <Note
          actions={
            <ButtonLink size="small" href={address} target="_blank" rel="noopener">
              {t('checkout.window.again')}
            </ButtonLink>
          }
        >
          <span role="status">{t('checkout.window.opened')}</span>
        </Note>
      ) : (
        <Button look={isOnlyWay ? 'primary' : 'bare'} size={isOnlyWay ? 'large' : 'normal'} isWide onPress={open}>
          {t('checkout.window.open')}
        </Button>
      )}
    </div>
  );
}
