/**
 * The ways to a wallet outside of this browser: on a phone, a list of wallet apps that open this payment in their own browser; on a computer,
 * a QR code that opens it on a phone. The links contain a one-time code, never the client secret.
 */
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button/button.tsx';
import { CopyButton } from '../../ui/button/copy-button.tsx';
import { LazyQrCode } from '../../ui/code/lazy-qr-code.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Note } from '../../ui/state/note.tsx';
import type { SessionName } from '../session/use-checkout.ts';
import styles from './handover.module.css';
import { isHandheld } from './is-handheld.ts';
import { useCodeUrl } from './use-code-url.ts';
import { walletApps } from './wallet-apps.ts';

export function Elsewhere({ session }: { session: SessionName }) {
  const { t } = useTranslation();
  const { url, isFailed, retry } = useCodeUrl(session);
  const place = isHandheld ? 'apps' : 'scan';
  return (
    <section className={styles.elsewhere} aria-labelledby="elsewhere" data-elsewhere={place}>
      <h3 id="elsewhere">{t(`handover.${place}.title`)}</h3>
      <p className={styles.words}>{t(`handover.${place}.words`)}</p>
      {isFailed && (
        <Note tone="wait" title={t('handover.failed')}>
          <Button size="small" onPress={retry}>
            {t('everywhere.tryAgain')}
          </Button>
        </Note>
      )}
      {isHandheld ? <Apps url={url} /> : <Code url={url} />}
      <div className={styles.other}>
        <p className={styles.words}>{t('handover.other')}</p>
        {url && <CopyButton text={url.href} name={t('handover.link')} hasWords />}
      </div>
    </section>
  );
}

function Apps({ url }: { url: URL | undefined }) {
  return (
    <ul className={styles.apps}>
      {walletApps.map(({ id, name, link }) => (
        <li key={id}>
          <a
            className={styles.app}
            href={url && link(url)}
            aria-disabled={url === undefined || undefined}
            rel="noreferrer"
            data-app={id}
          >
            <span className={styles.mark} aria-hidden="true">
              {name.charAt(0)}
            </span>
            <span className={styles.name}>{name}</span>
            <Icon name="external" />
          </a>
        </li>
      ))}
    </ul>
  );
}

function Code({ url }: { url: URL | undefined }) {
  const { t } = useTranslation();
  return (
    <div className={styles.code}>
      {url && <LazyQrCode text={url.href} label={t('handover.scan.alt')} data-code={url.href} />}
    </div>
  );
}
